import ipaddr from 'ipaddr.js';
import type { Scheme } from '#federation/protocol';
import type { Cidr } from '#platform';

/** Allowed destinations of connections. */
export interface EgressRules {
  /** Whether http is allowed at all, and then only to addresses in `allowAddresses`. */
  readonly allowHttp: boolean;
  /** Ranges that are allowed although they are not public. */
  readonly allowAddresses: readonly Cidr[];
}

export type AddressRefusal = 'blocked' | 'blocked-http';

/** Public addresses that belong to the cloud platform of the machine itself. */
const PLATFORM_SERVICES: readonly string[] = ['168.63.129.16'];

const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');

/**
 * Reason why no connection may be made to `address`; undefined if it may.
 *
 * Only global unicast addresses are public. All others are refused unless the operator named them, and so is every way to write an IPv4
 * address inside of an IPv6 one. An IPv4-mapped address is judged as the IPv4 address in it.
 * @param address from a socket or resolver, without brackets
 */
export function addressRefusalOf(
  address: string,
  scheme: Scheme,
  rules: EgressRules,
): AddressRefusal | undefined {
  if (!ipaddr.isValid(address)) return 'blocked';
  // Strips the zone of `fe80::1%eth0`, and turns ::ffff:10.0.0.1 into 10.0.0.1.
  const judged = ipaddr.process(address.replace(/%.*$/, ''));
  const isNamed = rules.allowAddresses.some(
    ([first, bits]) => judged.kind() === first.kind() && judged.match(first, bits),
  );
  if (!isNamed && !isPublic(judged)) return 'blocked';
  return scheme === 'http' && !(rules.allowHttp && isNamed) ? 'blocked-http' : undefined;
}

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast' || PLATFORM_SERVICES.includes(address.toString())) return false;
  return address.kind() === 'ipv4' || address.match(GLOBAL_IPV6);
}
