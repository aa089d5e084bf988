import type { ExternalIdentityRepository, ReadIdentity } from '#persistence';
import type { AccountEnds } from '../account-end/account-ends';
import type { IdentitySource } from '../directories/identity-source';
import type { SourceAccounts } from '../directories/source-accounts';
import { ProvisioningFailed } from '../provisioning-failed';

type Gone = Pick<ReadIdentity, 'subject' | 'uid'>;

/** People who have disappeared from a read directory, and those who have come back. */
export class GonePeople {
  /** @param answer `end`: the account is disabled, and removed after the grace period; `disable`: it is only disabled */
  constructor(
    private readonly source: IdentitySource,
    private readonly answer: 'end' | 'disable',
    private readonly accounts: SourceAccounts,
    private readonly identities: ExternalIdentityRepository,
    private readonly ends: AccountEnds,
  ) {}

  async end(people: readonly Gone[]): Promise<void> {
    for (const { subject, uid } of people) {
      // An end that somebody requested earlier stays, even if the person comes back.
      if (this.answer === 'end' && (await this.ends.state(uid))) continue;
      await this.accounts.disable(this.source, subject);
      if (this.answer === 'end') await unlessRefused(this.ends.request(uid, {}));
      await this.identities.notePlace(this.source, subject, { goneAt: new Date() });
    }
  }

  /** Restores the account, unless somebody else disabled it, or its removal has begun. */
  async takeBack({ subject, uid }: Gone): Promise<void> {
    if (this.answer === 'end' && (await this.ends.state(uid))) await unlessRefused(this.ends.undo(uid));
    await this.accounts.enable(this.source, subject);
    await this.identities.notePlace(this.source, subject, { goneAt: null });
  }
}

async function unlessRefused(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof ProvisioningFailed)) throw error;
  }
}
