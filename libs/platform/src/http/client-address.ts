import type { IncomingMessage } from 'node:http';
import type { Cidr } from '../config/parsers';
import { isTrusted } from './trusted-address';

/**
 * The address of the client of a raw message that the framework has not handled, as requests have it: the last hop that is no
 * trusted proxy.
 */
export function clientAddressOf({ socket, headers }: IncomingMessage, trusted: readonly Cidr[]): string {
  const hops = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((hop) => hop.trim())
    .filter((hop) => hop !== '');
  let address = socket.remoteAddress ?? '';
  while (isTrusted(address, trusted) && hops.length > 0) address = hops.pop()!;
  return address;
}
