import ipaddr from 'ipaddr.js';
import type { Cidr } from '../config/parsers';

/** Whether `address` lies in one of the ranges; IPv4 written as IPv6 counts as IPv4. */
export function isTrusted(address: string, ranges: readonly Cidr[]): boolean {
  if (ranges.length === 0 || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return ranges.some((range) => parsed.kind() === range[0].kind() && parsed.match(range as never));
}
