import ipaddr from 'ipaddr.js';
import type { Cidr } from '../config/parsers';

/** Whether one of the ranges contains `address`; IPv4 in IPv6 form counts as IPv4. */
export function isTrusted(address: string, ranges: readonly Cidr[]): boolean {
  if (ranges.length === 0 || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return ranges.some((range) => parsed.kind() === range[0].kind() && parsed.match(range as never));
}
