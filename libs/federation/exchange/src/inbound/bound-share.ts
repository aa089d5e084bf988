import { FederationRefused, type PartnerNotice } from '#federation/protocol';
import type { InboundPorts } from '../ports/inbound';
import type { NotifiedShare, OurShares } from '../ports/our-shares';

/** Binding of a notice to a share: the share's id, with its secret or with the signature of the share's partner. */
export interface Binding extends Pick<PartnerNotice, 'providerId' | 'sharedSecret'> {
  /** Ids of the partners that it can be of. */
  readonly senders: readonly number[];
  /** Whether it was signed by one of them. */
  readonly isSigned: boolean;
}

/** We number our shares: any other id is none of ours. */
export function shareIdIn(providerId: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(providerId) ? Number(providerId) : undefined;
}

/** @throws FederationRefused outgoing-disabled */
export async function assertOutgoing({ policy }: Pick<InboundPorts, 'policy'>): Promise<void> {
  if (!(await policy.current()).federation.outgoing) throw new FederationRefused('outgoing-disabled');
}

/** The share of ours that a notice is about, held until the change ends. @throws FederationRefused share-unknown, secret-wrong */
export async function boundShare(
  { secrets }: Pick<InboundPorts, 'secrets'>,
  shares: OurShares,
  binding: Binding,
): Promise<NotifiedShare> {
  const id = shareIdIn(binding.providerId);
  const share = id === undefined ? undefined : await shares.lock(id);
  if (!share) throw new FederationRefused('share-unknown', binding.providerId);
  const { sharedSecret, senders, isSigned } = binding;
  const isBound = sharedSecret
    ? secrets.matches(sharedSecret.reveal(), share.tokenHmac)
    : isSigned && senders.some((sender) => sender === share.peerId || sender === share.requesterPeerId);
  if (!isBound) throw new FederationRefused('secret-wrong');
  return share;
}

/** Whether it was a share of ours with this secret, of whose end its partner is told. */
export async function hasEnded(
  { ours, secrets }: Pick<InboundPorts, 'ours' | 'secrets'>,
  { providerId, sharedSecret }: Binding,
): Promise<boolean> {
  const id = shareIdIn(providerId);
  if (id === undefined || !sharedSecret) return false;
  const said = secrets.lookup(sharedSecret.reveal());
  return (await ours.secretsOfEnded(id)).some((sealed) => secrets.matches(secrets.open(sealed), said));
}
