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
      await this.accounts.disable(this.source, subject);
      if (!(this.answer === 'end' && (await this.isEndOurs(uid))))
        await this.identities.notePlace(this.source, subject, { goneAt: new Date() });
    }
  }

  /** Restores the account, unless somebody else disabled it or requested its end, or its removal has begun. */
  async takeBack({ subject, uid }: Gone): Promise<void> {
    await this.ends.undoBy(this.source, uid);
    await this.accounts.enable(this.source, subject);
    await this.identities.notePlace(this.source, subject, { goneAt: null });
  }

  /** Requests the end. @returns false if somebody else requested one before, or if the account cannot end */
  private async isEndOurs(uid: string): Promise<boolean> {
    try {
      return await this.ends.requestBy(this.source, uid);
    } catch (error) {
      if (error instanceof ProvisioningFailed) return false;
      throw error;
    }
  }
}
