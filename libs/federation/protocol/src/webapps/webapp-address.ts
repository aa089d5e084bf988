import { ownAddress } from '../addresses/partner-address';
import { placesOf } from '../dialects/ocm-multi';
import type { PeerProfile } from '../peers/peer-profile';

/**
 * The address of an application's page, if it is at a host of the partner, or at one that an operator named. A partner with https has no
 * page with http.
 * @param hosts names of hosts, with or without a port
 */
export function webappAddress(
  uri: string,
  { baseUrl, webdavUrl, ocmEndPoint }: Pick<PeerProfile, 'baseUrl' | 'webdavUrl' | 'ocmEndPoint'>,
  hosts: readonly string[],
): string | undefined {
  const named = [...placesOf({ webdavUrl, ocmEndPoint }), ...hosts.map(withPort)];
  const own = ownAddress(uri, baseUrl, named);
  if (own === undefined) return undefined;
  const { pathname, search } = new URL(uri);
  return `${new URL(own).origin}${pathname}${search}`;
}

const withPort = (host: string): string => (/:\d+$/.test(host) ? host : `${host}:443`);
