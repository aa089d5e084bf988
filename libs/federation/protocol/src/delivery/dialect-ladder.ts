import type { PeerProfile } from '../peers/peer-profile';
import type { Dialect } from '../wire/share-offer';
import type { MessageKind } from './partner-message';

/**
 * The dialects to try for a message, in order; the next one only after a definite no. A dialect that has worked is
 * the only one. Source: reference/federation 9.5 item 8.
 */
export function dialectLadder(profile: PeerProfile, kind: MessageKind): readonly Dialect[] {
  const { dialects, provenDialect, product } = profile;
  // ownCloud sends this notice, but refuses it.
  if (kind === 'reshare-undone' && product === 'owncloud10' && dialects.includes('legacy')) return ['legacy'];
  const ladder = provenDialect && dialects.includes(provenDialect) ? [provenDialect] : dialects;
  return kind === 'offer' ? ladder : oneOcm(ladder);
}

/** Notices have the same form and address in both OCM dialects. */
function oneOcm(ladder: readonly Dialect[]): readonly Dialect[] {
  const first = ladder.find((dialect) => dialect !== 'legacy');
  return ladder.filter((dialect) => dialect === 'legacy' || dialect === first);
}
