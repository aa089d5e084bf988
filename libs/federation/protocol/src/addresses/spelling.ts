import type { FederatedCloudId } from './federated-cloud-id';
import { peerKeyOf, type HostAndPath, type Scheme } from './host-and-path';

/**
 * How a cloud id is written for a peer:
 * - `as-written`: with a scheme if one was written
 * - `with-scheme`: always; ownCloud takes what follows the `@` as the address of the server
 * - `without-scheme`: the form of the specification
 * - `scheme-unless-https`: Nextcloud assumes https without a scheme
 * - `scheme-with-port`: OpenCloud compares `host:port` wrongly, but not `scheme://host:port`
 */
export type Spelling =
  | 'as-written'
  | 'without-scheme'
  | 'with-scheme'
  | 'scheme-unless-https'
  | 'scheme-with-port';

/** `user@[scheme://]host[:port][/path]` @param user the account, as the partner knows it */
export function spellCloudId(id: FederatedCloudId, spelling: Spelling, user = id.userAsWritten): string {
  const scheme = id.scheme ?? 'https';
  const place = peerKeyOf(id);
  const withScheme: Record<Spelling, boolean> = {
    'as-written': id.scheme !== null,
    'without-scheme': false,
    'with-scheme': true,
    'scheme-unless-https': scheme === 'http',
    'scheme-with-port': id.port !== null,
  };
  return `${user}@${withScheme[spelling] ? `${scheme}://` : ''}${place}`;
}

/** The same for an account of a third server, whose scheme is known only if it was written. */
export const spellForeignId = (id: FederatedCloudId, spelling: Spelling): string =>
  spellCloudId(id, spelling === 'without-scheme' ? spelling : 'as-written');

/** `https://host[:port][/path]`, without a trailing slash. */
export function baseUrlOf(place: HostAndPath, scheme: Scheme): string {
  return `${scheme}://${peerKeyOf(place)}`;
}
