import ipaddr from 'ipaddr.js';
import type { Cidr } from '#platform';

/** Networks between this machine and a host. */
export type Network = 'this machine' | 'private' | 'public';

const PRIVATE_NAME = /(^[^.]+$|\.(local|localhost|internal|lan|home|test|example|invalid|svc)$|\.svc\.)/;

/** Decided by the name in an address alone: no resolver is asked. */
export function networkOfName(hostname: string): Network {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (ipaddr.isValid(host)) {
    const range = ipaddr.process(host).range();
    return range === 'loopback' ? 'this machine' : range === 'unicast' ? 'public' : 'private';
  }
  if (host === 'localhost') return 'this machine';
  return PRIVATE_NAME.test(host) ? 'private' : 'public';
}

/** Whether the range contains the address. */
export function isWithin([first, bits]: Cidr, address: string): boolean {
  const judged = ipaddr.process(address);
  return judged.kind() === first.kind() && judged.match(first, bits);
}
