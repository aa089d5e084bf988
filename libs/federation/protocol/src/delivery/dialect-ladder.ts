import type { PeerProfile } from '../peers/peer-profile';
import type { Dialect } from '../wire/share-offer';
import type { PartnerMessageKind, PartnerMessage } from './partner-message';

const BETWEEN_OWNER_AND_INITIATOR: readonly PartnerMessageKind[] = [
  'reshare-request',
  'reshare-permissions',
  'reshare-undone',
];

/**
 * The dialects to try for a message, in order; the next one only after a definite no. A dialect that has worked is
 * the only one. Source: federation-facts 12.
 */
export function dialectLadder(profile: PeerProfile, kind: PartnerMessageKind): readonly Dialect[] {
  const { dialects, provenDialect, product } = profile;
  // ownCloud sends this notice, but refuses it.
  if (kind === 'reshare-undone' && product === 'owncloud10' && dialects.includes('legacy')) return ['legacy'];
  const isProven = provenDialect !== null && dialects.includes(provenDialect);
  // A server that took an offer need not know the messages between owner and initiator of a reshare.
  const isEnough = provenDialect === 'legacy' || !BETWEEN_OWNER_AND_INITIATOR.includes(kind);
  const ladder = isProven && isEnough ? [provenDialect] : dialects;
  return kind === 'offer' ? ladder : oneOcm(ladder);
}

/** The same for what is to be said: that a secret has to be exchanged has words in one dialect only, whatever worked before. */
export function dialectsFor(profile: PeerProfile, message: PartnerMessage): readonly Dialect[] {
  const mustExchange = message.kind === 'offer' && message.mustExchange;
  return mustExchange ? ['ocm-multi'] : dialectLadder(profile, message.kind);
}

/** Whether a dialect in which this was taken is the partner's from then on. */
export const provesDialect = (kind: PartnerMessageKind): boolean =>
  !BETWEEN_OWNER_AND_INITIATOR.includes(kind);

/** Notices have the same form and address in both OCM dialects. */
function oneOcm(ladder: readonly Dialect[]): readonly Dialect[] {
  const first = ladder.find((dialect) => dialect !== 'legacy');
  return ladder.filter((dialect) => dialect === 'legacy' || dialect === first);
}
