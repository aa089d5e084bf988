import { FederationRefused, type PartnerNotice } from '#federation/protocol';
import type { InboundPorts } from '../ports/inbound';
import type { NotifiedShare, OurShares } from '../ports/our-shares';

/** Identifies the share of a notice: the share's id, with its secret or with the signature of the share's partner. */
export interface Binding extends Pick<PartnerNotice, 'providerId' | 'sharedSecret'> {
  /** Ids of the partners that may have sent the notice. */
  readonly senders: readonly number[];
  /** Whether one of them signed it. */
  readonly isSigned: boolean;
}

/** Our shares have numbers: any other id is unknown. */
export function shareIdIn(providerId: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(providerId) ? Number(providerId) : undefined;
}

/** @throws FederationRefused outgoing-disabled */
export async function assertOutgoing({ policy }: Pick<InboundPorts, 'policy'>): Promise<void> {
  if (!(await policy.current()).federation.outgoing) throw new FederationRefused('outgoing-disabled');
}

/** The share of ours that a notice is about, locked until the change ends. @throws FederationRefused share-unknown, secret-wrong */
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

/** Whether a share of ours with this secret has ended, and its partner gets a message about that. */
export async function hasEnded(
  { ours, secrets }: Pick<InboundPorts, 'ours' | 'secrets'>,
  { providerId, sharedSecret }: Binding,
): Promise<boolean> {
  const id = shareIdIn(providerId);
  if (id === undefined || !sharedSecret) return false;
  const said = secrets.lookup(sharedSecret.reveal());
  return (await ours.secretsOfEnded(id)).some((sealed) => secrets.matches(secrets.open(sealed), said));
}
