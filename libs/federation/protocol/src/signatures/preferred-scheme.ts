import type { PeerProfile } from '../peers/peer-profile';
import type { SignatureChoice } from './signature-to-check';

/**
 * Scheme for signing a message to a partner: an operator's choice; otherwise RFC 9421 for partners that announce
 * it, and the older scheme of Nextcloud 31 and 32 for all others. Servers that check no signatures ignore both. Source:
 * federation-facts 10.
 */
export function preferredScheme({
  capabilities,
  signBy,
}: Pick<PeerProfile, 'capabilities' | 'signBy'>): SignatureChoice {
  return signBy ?? (capabilities.includes('http-sig') ? 'rfc9421' : 'cavage');
}
