import {
  reply,
  replyJson,
  startFakeServer,
  type FakeServer,
  type UnsignedRequest,
} from '../../../libs/testing/src';
import { offerBody } from '../inbound-partner';
import { jsonMessage } from './targets';

/** Members of its discovery document that point elsewhere, or `redirect` for the whole document. */
export const POINTERS = ['redirect', 'endPoint', 'webdav', 'tokenEndPoint', 'jwksUri'] as const;
export type Pointer = (typeof POINTERS)[number];

/** A partner with a valid discovery document except for one member. @param elsewhere itself if absent: then it is honest */
export async function startLyingPartner(pointer: Pointer, elsewhere?: string): Promise<FakeServer> {
  const server: FakeServer = await startFakeServer(({ path }, response) => {
    if (!/^\/(?:\.well-known\/ocm|ocm-provider\/?|ocs-provider\/?)$/.test(path))
      return replyJson(response, 404, {});
    if (pointer !== 'redirect')
      return replyJson(response, 200, descriptionOf(server.url, pointer, elsewhere ?? server.url));
    response.setHeader('location', `${elsewhere}${path}`);
    reply(response, 302, '');
  });
  return server;
}

function descriptionOf(url: string, pointer: Pointer, elsewhere: string): object {
  const at = (member: Pointer, path: string): string => `${member === pointer ? elsewhere : url}${path}`;
  return {
    enabled: true,
    apiVersion: '1.1.0',
    endPoint: at('endPoint', '/ocm'),
    provider: 'Lying',
    resourceTypes: [{ name: 'file', shareTypes: ['user'], protocols: { webdav: at('webdav', '/dav/ocm') } }],
    capabilities: ['notifications', 'exchange-token'],
    tokenEndPoint: at('tokenEndPoint', '/ocm/token'),
    jwksUri: at('jwksUri', '/.well-known/jwks.json'),
  };
}

/** An offer to alice of a share whose content is at `uri`. */
export function offerOfContent(host: string, id: string, uri: string, secret: string): UnsignedRequest {
  const webdav = { sharedSecret: secret, uri, permissions: ['read'], requirements: ['must-exchange-token'] };
  const person = `rem@http://${host}`;
  const protocol = { name: 'multi', options: {}, webdav };
  return jsonMessage('/ocm/shares', {
    ...offerBody(id, ''),
    ...{ name: `${id}.txt`, owner: person, sender: person, protocol },
  });
}
