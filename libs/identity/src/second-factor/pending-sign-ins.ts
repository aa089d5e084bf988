import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SecretBox } from '#platform';
import type { Account } from '../account';
import { AccountDirectory } from '../account-directory';
import type { IssuerSession } from '../oidc/issuer-sign-ins';
import { openNote, sealNote } from './sealed-note';

const PURPOSE = 'sign-in that waits for a second factor';

interface Pending {
  readonly uid: string;
  readonly atIssuer?: IssuerSession;
  /** SHA-256 of the stored password in base64: a new password ends waiting sign-ins. */
  readonly passwordDigest: string;
}

/** Sign-ins that wait for the second factor after a right password. The browser's form contains their state; nothing is stored. */
@Injectable()
export class PendingSignIns {
  constructor(
    private readonly directory: AccountDirectory,
    private readonly secrets: SecretBox,
  ) {}

  /**
   * @param atIssuer the session at the issuer, if that replaced the password
   * @returns a text for the form, valid for ten minutes
   */
  begin(account: Account, atIssuer?: IssuerSession): string {
    const pending: Pending = { uid: account.uid, atIssuer, passwordDigest: digestOf(account) };
    return sealNote(this.secrets, PURPOSE, pending);
  }

  /**
   * The account is read from the database, not from memory, so that a change of the password ends waiting sign-ins at once.
   * @returns the account whose password was right, or which the issuer confirmed; undefined if that was too long ago or is no longer so
   */
  async find(text: string): Promise<{ account: Account; atIssuer?: IssuerSession } | undefined> {
    const pending = openNote<Pending>(this.secrets, PURPOSE, text);
    const account = pending && (await this.directory.findAnew(pending.uid));
    const holds = account?.enabled && digestOf(account) === pending!.passwordDigest;
    return holds ? { account, atIssuer: pending!.atIssuer } : undefined;
  }
}

const digestOf = ({ passwordHash }: Account): string => hash('sha256', passwordHash, 'base64');
