import { Injectable } from '@nestjs/common';
import {
  AccountRepository,
  Database,
  PeerRepository,
  ReceivedShareRepository,
  type Queryable,
  type ReceivedShareRow,
} from '#persistence';
import { actingFor } from '#platform';
import { CachedPolicy } from '#settings';
import { mayAutoAccept } from '#sharing';
import { ReceivedShareAcceptance } from './received-share-acceptance';

const PREFERENCE = 'federatedfilesharing/auto_accept_share_trusted';

/** An offer of which it is known that it is its partner's. */
export interface VerifiedOffer {
  readonly receivedShareId: number;
  readonly recipientUid: string;
  readonly peerId: number;
}

/** Unsigned, and its server could not be asked whether it signs: only the recipient can accept it. */
export const isOfUnknownSender = ({ access }: ReceivedShareRow): boolean => access['senderUnknown'] === true;

/**
 * Accepts what trusted partners offer, where the administrator says so and the recipient does not object. Naming a trusted partner is
 * not enough: the offer was signed by it, or it showed the share when it was probed.
 */
@Injectable()
export class AutoAcceptance {
  private readonly peers: PeerRepository;
  private readonly accounts: AccountRepository;
  private readonly shares: ReceivedShareRepository;

  constructor(
    private readonly database: Database,
    private readonly policy: CachedPolicy,
    private readonly acceptance: ReceivedShareAcceptance,
  ) {
    this.peers = new PeerRepository(database);
    this.accounts = new AccountRepository(database);
    this.shares = new ReceivedShareRepository(database);
  }

  /** A share that was decided on or taken back meanwhile stays as it is. */
  async accept({ receivedShareId, recipientUid, peerId }: VerifiedOffer): Promise<void> {
    const policy = await this.policy.current();
    if (!policy.federation.autoAcceptTrusted) return;
    const partner = await this.peers.findById(peerId);
    if (!partner || !mayAutoAccept(policy, partner) || !(await this.isWantedBy(recipientUid))) return;
    const acceptIn = async (transaction: Queryable): Promise<void> => {
      const row = await this.shares.lock(transaction, receivedShareId, recipientUid);
      if (row?.state === 'pending' && !isOfUnknownSender(row))
        await this.acceptance.accept(transaction, row, policy.shareFolder);
    };
    // The gateway itself decides this, whoever it works for at the moment.
    await actingFor({ kind: 'system' }, () => this.database.transaction(acceptIn));
  }

  private async isWantedBy(recipientUid: string): Promise<boolean> {
    const account = await this.accounts.find(recipientUid);
    return account !== undefined && account.preferences[PREFERENCE] !== 'no';
  }
}
