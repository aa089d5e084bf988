import { mayAutoAccept } from '#sharing';
import type { AcceptancePorts, DecidableShare } from '../ports/acceptance';
import { acceptReceived } from './decide-received';

const PREFERENCE = 'federatedfilesharing/auto_accept_share_trusted';

/** An offer of which it is known that it is its partner's. */
export interface VerifiedOffer {
  readonly receivedShareId: number;
  readonly recipientUid: string;
  readonly peerId: number;
}

/** Unsigned, and its server could not be asked whether it signs: only the recipient can accept it. */
export const isOfUnknownSender = ({ access }: Pick<DecidableShare, 'access'>): boolean =>
  access['senderUnknown'] === true;

/**
 * Accepts an offer of a trusted partner, where the administrator says so and the recipient does not object. Naming a trusted
 * partner is not enough: the offer was signed by it, or it showed the share when it was probed. A share that was decided on or
 * taken back meanwhile stays as it is.
 */
export async function autoAccept(
  ports: AcceptancePorts,
  { receivedShareId, recipientUid, peerId }: VerifiedOffer,
): Promise<void> {
  const policy = await ports.policy.current();
  if (!policy.federation.autoAcceptTrusted) return;
  const partner = await ports.known.partner(peerId);
  if (!partner || !mayAutoAccept(policy, partner)) return;
  const preferences = await ports.known.preferences(recipientUid);
  if (!preferences || preferences[PREFERENCE] === 'no') return;
  await ports.change('gateway', async (shares) => {
    const share = await shares.lock(receivedShareId, recipientUid);
    if (share?.state === 'pending' && !isOfUnknownSender(share))
      await acceptReceived(shares, share, policy.shareFolder);
  });
}
