import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Config } from '../config/table';
import { networkOf } from './network-of';
import { isTrusted } from './trusted-address';
import type { UnreadRequests } from './unread-requests';

/**
 * Closes connections of one address above a maximum. Trusted proxies are exempt, because they have the connections of all their clients.
 */
export function boundConnections(
  server: Server,
  { CONNECTIONS_PER_ADDRESS, TRUSTED_PROXIES }: Pick<Config, 'CONNECTIONS_PER_ADDRESS' | 'TRUSTED_PROXIES'>,
  unread: UnreadRequests,
): void {
  const connections = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    if (isTrusted(address, TRUSTED_PROXIES)) return;
    const network = networkOf(address);
    const already = connections.get(network) ?? 0;
    if (already >= CONNECTIONS_PER_ADDRESS) {
      unread.note('too-many-connections', address);
      socket.destroy();
      return;
    }
    connections.set(network, already + 1);
    socket.once('close', () => {
      const left = connections.get(network)! - 1;
      if (left > 0) connections.set(network, left);
      else connections.delete(network);
    });
  });
}
