import { Injectable } from '@nestjs/common';
import { Passkeys, type Account } from '#identity';
import type { EdgeReply } from '#platform';
import { factorPage, type FactorForm } from './sign-in-page';

/** Pages that ask for the second factor after the first one was right. */
@Injectable()
export class FactorPages {
  constructor(private readonly passkeys: Passkeys) {}

  async show({ uid }: Pick<Account, 'uid'>, form: Omit<FactorForm, 'passkey'>): Promise<EdgeReply> {
    return factorPage({ ...form, passkey: await this.passkeys.ask(uid) });
  }
}
