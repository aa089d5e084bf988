import type { SeenClient } from '#platform';
import { ok, warning, type Finding } from './finding';

/**
 * Checks whether clients are counted by their own addresses. This request named no hop, so the first received hop is the address that the
 * outermost proxy saw: the gateway has to treat it as the client.
 *
 * @param isBehindProxy whether a proxy in front terminates TLS
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
  // An outer proxy named a client, and the proxy of the deployment did not trust it.
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
