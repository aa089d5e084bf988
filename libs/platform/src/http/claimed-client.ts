import ipaddr from 'ipaddr.js';
import type { ActingRequest } from '../acting';

/**
 * The client that a request claims to be made for, where its own address looks like that of a proxy which TRUSTED_PROXIES
 * does not name: an address that is not public, of which X-Forwarded-For names another in front. Anybody in that network
 * can claim any client, so it is nothing to be believed; it only tells clients apart that would be counted as one.
 */
export function claimedClient({ ip, forwardedFor }: ActingRequest): string | undefined {
  if (forwardedFor === undefined || !isOfClosedNetwork(ip)) return undefined;
  const hops = forwardedFor.split(',').map((hop) => hop.trim());
  const own = hops.lastIndexOf(ip);
  const claimed = own < 0 ? hops.at(-1) : hops[own - 1];
  return claimed !== undefined && ipaddr.isValid(claimed) ? claimed : undefined;
}

/** Networks that are not the internet, in the words of the library. */
const CLOSED_NETWORKS: readonly string[] = [
  'private',
  'loopback',
  'linkLocal',
  'uniqueLocal',
  'carrierGradeNat',
];

const isOfClosedNetwork = (address: string): boolean =>
  ipaddr.isValid(address) && CLOSED_NETWORKS.includes(ipaddr.process(address).range());
