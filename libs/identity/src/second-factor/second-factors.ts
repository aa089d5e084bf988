import { Injectable } from '@nestjs/common';
import { ChangeFeed, SecondFactorRepository } from '#persistence';
import { SecretBox } from '#platform';
import { LoginThrottle } from '../login-throttle';
import { hashesOfRecoveryCodes, lookupTextOfRecoveryCode, newRecoveryCodes } from './recovery-codes';
import { openNote, sealNote } from './sealed-note';
import { SecondFactorRefused } from './second-factor-refused';
import { isLikeTotpCode, newTotpSecret, stepOfCode, totpAddress } from './totp-codes';

const SETUP = 'secret of an app that is being set up';

/** A secret for an app, before the app has proved that it has it. */
export interface ProposedTotp {
  /** In base32, for typing. */
  readonly secret: string;
  /** `otpauth:` address, for a QR code. */
  readonly address: string;
  /** Text that the confirmation has to contain. */
  readonly setup: string;
}

/** State of an account's second factor. */
export interface SecondFactorState {
  /** Time at which its app was added; undefined: it has none. */
  readonly since: Date | undefined;
  readonly recoveryCodes: number;
  /** Creation times of its passkeys, the oldest first. */
  readonly passkeysSince: readonly Date[];
}

interface Setup {
  readonly uid: string;
  readonly secret: string;
}

/** Manages the second factors of accounts: an app that shows codes, and recovery codes in case it is lost. */
@Injectable()
export class SecondFactors {
  constructor(
    private readonly factors: SecondFactorRepository,
    private readonly throttle: LoginThrottle,
    private readonly secrets: SecretBox,
    private readonly feed: ChangeFeed,
  ) {}

  async state(uid: string): Promise<SecondFactorState> {
    const totp = await this.factors.find(uid);
    return {
      since: totp?.createdAt,
      recoveryCodes: await this.factors.countRecoveryCodes(uid),
      passkeysSince: await this.factors.passkeysSince(uid),
    };
  }

  /** Nothing is stored before the app has shown a code. @param label name that the app displays */
  propose(uid: string, label: string): ProposedTotp {
    const secret = newTotpSecret();
    const setup: Setup = { uid, secret };
    return { secret, address: totpAddress(secret, label), setup: sealNote(this.secrets, SETUP, setup) };
  }

  /**
   * Enables the second factor. @throws SecondFactorRefused `setup-over`, `code-wrong`, `exists`
   * @returns recovery codes if the account had none; they are shown only now
   */
  async confirm(uid: string, setup: string, code: string): Promise<readonly string[]> {
    const proposed = openNote<Setup>(this.secrets, SETUP, setup);
    if (proposed?.uid !== uid) throw new SecondFactorRefused('setup-over', 'Begin again: this took too long');
    const lastStep = stepOfCode(proposed.secret, code, Date.now());
    if (lastStep === undefined)
      throw new SecondFactorRefused('code-wrong', 'The code is wrong. Check the clock of the device');
    const codes = newRecoveryCodes();
    const sealedSecret = this.secrets.seal(proposed.secret);
    const added = await this.factors.setUp(
      { uid, sealedSecret, lastStep },
      hashesOfRecoveryCodes(this.secrets, uid, codes),
    );
    if (added === 'exists') throw new SecondFactorRefused('exists', 'There is a second factor already');
    this.feed.announceLocally('account', uid);
    return added === 'added-with-codes' ? codes : [];
  }

  /**
   * Accepts a code of the app or a recovery code, each once. Attempts are counted separately from those for the password, which the
   * right password resets.
   * @throws AuthenticationFailed `throttled`
   */
  async accepts(uid: string, code: string, address: string): Promise<boolean> {
    const subject = `factor:${uid}`;
    await this.throttle.attempt(subject, address);
    const isRight = isLikeTotpCode(code)
      ? await this.isFreshCode(uid, code)
      : await this.isRecoveryCode(uid, code);
    if (isRight) await this.throttle.succeeded(subject, address, true);
    return isRight;
  }

  /** @throws AuthenticationFailed `throttled` @throws SecondFactorRefused `code-wrong` */
  async turnOff(uid: string, code: string, address: string): Promise<void> {
    await this.assertCode(uid, code, address);
    await this.factors.removeApp(uid);
    this.feed.announceLocally('account', uid);
  }

  /** @returns new recovery codes, which are shown only now; older ones end @throws as `turnOff` */
  async renewRecoveryCodes(uid: string, code: string, address: string): Promise<readonly string[]> {
    await this.assertCode(uid, code, address);
    const codes = newRecoveryCodes();
    await this.factors.replaceRecoveryCodes(uid, hashesOfRecoveryCodes(this.secrets, uid, codes));
    return codes;
  }

  /** Removes app and passkeys of a user who lost them. @returns whether there were any */
  async reset(uid: string): Promise<boolean> {
    const wasThere = await this.factors.removeAll(uid);
    this.feed.announceLocally('account', uid);
    return wasThere;
  }

  private async assertCode(uid: string, code: string, address: string): Promise<void> {
    if (!(await this.accepts(uid, code, address)))
      throw new SecondFactorRefused('code-wrong', 'The code is wrong, or was used before');
  }

  private async isFreshCode(uid: string, code: string): Promise<boolean> {
    const totp = await this.factors.find(uid);
    if (!totp) return false;
    const step = stepOfCode(this.secrets.open(totp.sealedSecret), code, Date.now());
    return step !== undefined && this.factors.useStep(uid, step);
  }

  private async isRecoveryCode(uid: string, code: string): Promise<boolean> {
    const text = lookupTextOfRecoveryCode(uid, code);
    return text !== undefined && this.factors.useRecoveryCode(uid, this.secrets.lookup(text));
  }
}
