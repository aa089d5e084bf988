import type { PeerProfile } from '../peers/peer-profile';
import type { SignatureChoice } from './signature-to-check';

/**
 * Scheme by which a message to a partner is signed: an operator's choice; else RFC 9421 for partners that announce to check
 * it, and the older scheme of Nextcloud 31 and 32 for all others. Servers that check nothing pass over both. Source:
 * federation-facts 10.
 */
export function preferredScheme({
  capabilities,
  signBy,
}: Pick<PeerProfile, 'capabilities' | 'signBy'>): SignatureChoice {
  return signBy ?? (capabilities.includes('http-sig') ? 'rfc9421' : 'cavage');
}
