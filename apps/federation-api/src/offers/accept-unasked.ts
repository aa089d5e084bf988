import { Injectable } from '@nestjs/common';
import type { Account } from '#identity';
import { Database, ReceivedShareRepository, type PeerRow } from '#persistence';
import { CachedPolicy } from '#settings';
import { acceptsUnasked } from '#sharing';
import { ReceivedShareAcceptance } from '#storage';

const PREFERENCE = 'federatedfilesharing/auto_accept_share_trusted';

/** Accepts what trusted partners offer, where the administrator says so and the recipient does not object. */
@Injectable()
export class AcceptUnasked {
  constructor(
    private readonly policy: CachedPolicy,
    private readonly database: Database,
    private readonly shares: ReceivedShareRepository,
    private readonly acceptance: ReceivedShareAcceptance,
  ) {}

  /** A share that was just received; one that was decided on or taken back meanwhile stays as it is. */
  async accept(receivedShareId: number, recipient: Account, partner: PeerRow): Promise<void> {
    const policy = await this.policy.current();
    if (!acceptsUnasked(policy, partner) || recipient.preferences[PREFERENCE] === 'no') return;
    await this.database.transaction(async (transaction) => {
      const row = await this.shares.lock(transaction, receivedShareId, recipient.uid);
      if (row?.state === 'pending') await this.acceptance.accept(transaction, row, policy.shareFolder, true);
    });
  }
}
