import type { PeerProfile } from '../peers/peer-profile';
import type { SignatureScheme } from './signature-to-check';

/**
 * How a message to a partner is signed: RFC 9421 where it says that it can check that, else as Nextcloud 31 and 32
 * want it. Servers that check nothing pass over both. Source: reference/federation 6.3.
 */
export function preferredScheme({ capabilities }: Pick<PeerProfile, 'capabilities'>): SignatureScheme {
  return capabilities.includes('http-sig') ? 'rfc9421' : 'cavage';
}
