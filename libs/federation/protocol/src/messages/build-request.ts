import type { Dialects } from '../dialects/dialect';
import type { Dialect } from '../dialects/dialect-name';
import { DIALECTS, rulesOf } from '../dialects/dialects';
import type { PeerProfile } from '../peers/peer-profile';
import type { PartnerMessage, WireRequest } from './partner-message';

/**
 * The request that tells a partner `message` in `dialect`.
 * @param dialect one of the profile's
 * @returns undefined where the partner cannot be told this: there is nothing to send
 */
export function buildRequest(
  message: PartnerMessage,
  dialect: Dialect,
  profile: PeerProfile,
  dialects: Dialects = DIALECTS,
): WireRequest | undefined {
  const rules = rulesOf(dialects, dialect);
  return message.kind === 'offer' ? rules.offer(message, profile) : rules.notice(message, profile);
}
