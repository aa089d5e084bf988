import type { SeenClient } from '#platform';
import { ok, warning, type Finding } from './finding';

/**
 * Whether clients count as themselves. This request named no hop, so the first hop that arrived is the address that the
 * outermost proxy saw: the gateway has to take that for the client.
 *
 * @param isBehindProxy something in front ends TLS
 */
export function judgeClientAddress({ address, hops, claimed }: SeenClient, isBehindProxy: boolean): Finding {
  const [client] = hops;
  if (client === undefined)
    return isBehindProxy
      ? warning(
          'client addresses',
          `${address} without X-Forwarded-For, behind an https PUBLIC_URL`,
          'Have the proxy send X-Forwarded-For: without it all clients count as one address, and limit each other.',
        )
      : ok('client addresses', `seen as ${address}, with no proxy in between`);
  // An outer proxy named a client, and the proxy of the deployment did not believe it.
  const [outer] = claimed;
  if (outer !== undefined && outer !== client)
    return warning(
      'client addresses',
      `seen as ${address}, which is an outer proxy's: it calls for ${outer}`,
      `Name ${client} in OUTER_PROXIES of docker-compose.yml: its clients count as one address, and limit each other.`,
    );
  return address === client
    ? ok('client addresses', `seen as ${address}, behind ${hops.length} hops`)
    : warning(
        'client addresses',
        `seen as ${address}, which is a proxy's: it calls for ${client}`,
        `Name ${address} in TRUSTED_PROXIES: its clients count as one address there, and limit each other.`,
      );
}
