import ipaddr from 'ipaddr.js';
import type { ActingRequest } from '../work-context';

/**
 * The client that a request claims to come from, if its own address looks like a proxy that TRUSTED_PROXIES
 * does not name: an address that is not public, with another address in X-Forwarded-For. Anybody in that network
 * can claim any client, so the result is not trusted; it only separates clients that would otherwise be counted as one.
 */
export function claimedClient({ ip, forwardedFor }: ActingRequest): string | undefined {
  if (forwardedFor === undefined || !isOfClosedNetwork(ip)) return undefined;
  const hops = forwardedFor.split(',').map((hop) => hop.trim());
  const own = hops.lastIndexOf(ip);
  const claimed = own < 0 ? hops.at(-1) : hops[own - 1];
  return claimed !== undefined && ipaddr.isValid(claimed) ? claimed : undefined;
}

/** Names of private networks in the library. */
const CLOSED_NETWORKS: readonly string[] = [
  'private',
  'loopback',
  'linkLocal',
  'uniqueLocal',
  'carrierGradeNat',
];

const isOfClosedNetwork = (address: string): boolean =>
  ipaddr.isValid(address) && CLOSED_NETWORKS.includes(ipaddr.process(address).range());
