import { mayAutoAccept } from '#sharing';
import type { AcceptancePorts, DecidableShare } from '../ports/acceptance';
import { acceptReceived } from './decide-received';

const PREFERENCE = 'federatedfilesharing/auto_accept_share_trusted';

/** An offer whose sender is proven. */
export interface VerifiedOffer {
  readonly receivedShareId: number;
  readonly recipientUid: string;
  readonly peerId: number;
}

/** The offer is unsigned, and its server could not be asked whether it signs: only the recipient can accept it. */
export const isOfUnknownSender = ({ access }: Pick<DecidableShare, 'access'>): boolean =>
  access['senderUnknown'] === true;

/**
 * Accepts an offer of a trusted partner if the administrator allows it and the recipient does not object. The name of a trusted
 * partner is no proof: the partner signed the offer, or showed the share to a probe. A share that was decided on or
 * withdrawn in the meantime stays as it is.
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
