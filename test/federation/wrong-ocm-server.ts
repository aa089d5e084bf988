import { replyJson, startFakeServer, type FakeServer } from '../../libs/testing/src';
import { WrongAccount, type Sending } from './wrong-ocm-account';

/** The answers of a non-conforming server. */
export interface Manner {
  readonly document?: (url: string) => unknown;
  readonly keys?: unknown;
  /** The answer to a POST: status and body, by its turn among the signed posts to that path; 0 for an unsigned one. */
  readonly post: (path: string, turn: number) => readonly [number, string];
  /** Its messages when its users share, accept and read; undefined if they cannot. */
  readonly sends?: Sending;
}

const ANNOUNCED = {
  capabilities: [
    ...['http-sig', 'exchange-token', 'notifications', 'invites'],
    ...['invite-wayf', 'protocol-object', 'enforce-mfa', 'request-share'],
  ],
  criteria: ['must-invite', 'must-exchange-token', 'must-use-http-sig'],
  inviteAcceptDialog: '/no-such-page',
};
const file = (more: object): object => ({
  name: 'file',
  shareTypes: ['user'],
  protocols: { webdav: '/dav/', ...more },
});
const goodDocument = (url: string): object => ({
  enabled: true,
  apiVersion: '1.4.0',
  endPoint: `${url}/ocm`,
  tokenEndPoint: `${url}/ocm/token`,
  resourceTypes: [file({ 'webdav-receive': { uri: 'absolute' }, 'webapp-receive': { targets: ['blank'] } })],
  ...ANNOUNCED,
});

export const MANNERS: Readonly<Record<string, Manner>> = {
  'takes everything': {
    document: goodDocument,
    post: (path) => (path === '/ocm/shares' ? [201, '{}'] : [200, '{"userID":"a"}']),
  },
  'takes the first of everything': {
    document: goodDocument,
    post: (_path, turn) => (turn === 1 ? [201, '{"recipientDisplayName":"A"}'] : [400, 'no']),
  },
  'takes shares only': {
    document: goodDocument,
    post: (path) => (path === '/ocm/shares' ? [201, '{}'] : [400, '{}']),
  },
  'sends everything wrong': {
    document: goodDocument,
    post: (path) => (path === '/ocm/shares' ? [201, '{}'] : [400, '{}']),
    sends: 'all wrong',
  },
  'leaves its secrets good': {
    document: goodDocument,
    post: (path) => (path === '/ocm/shares' ? [201, '{}'] : [200, '{"access_token":"t"}']),
    sends: 'secrets stay good',
  },
  'refuses everything': { document: goodDocument, post: () => [400, '{}'] },
  'has no addresses': { document: goodDocument, post: () => [404, '{}'] },
  'has no document': { post: () => [404, ''] },
  'has a document without anything in it': { document: () => ({}), post: () => [404, ''] },
  'has a wrong document': {
    document: (url) => ({
      endPoint: `${url}/ocm`,
      resourceTypes: [file({ 'webdav-receive': {} }), file({}), { name: 'file', shareTypes: ['group'] }],
      capabilities: ['invites', 'exchange-token', 'http-sig'],
      criteria: [],
    }),
    keys: { keys: [{ kty: 'OKP', kid: 'x', d: 'private' }] },
    post: () => [404, ''],
  },
  'offers nothing by WebDAV': {
    document: (url) => ({
      endPoint: `${url}/ocm`,
      resourceTypes: [{ name: 'file', shareTypes: [], protocols: {} }],
      criteria: ['must-exchange-token'],
    }),
    post: () => [404, ''],
  },
};

export async function startWrongServer({ document, keys, post, sends }: Manner): Promise<FakeServer> {
  const turns = new Map<string, number>();
  const account = sends && new WrongAccount(sends);
  const server = await startFakeServer((request, response) => {
    const { method, path, headers, body } = request;
    if (path === '/.well-known/ocm' && document) return replyJson(response, 200, document(server.url));
    if (path === '/.well-known/jwks.json' && keys) return replyJson(response, 200, keys);
    if (method === 'POST' && path === '/ocm/shares' && body.length > 2) account?.note(body);
    const turn = headers.signature === undefined ? 0 : (turns.get(path) ?? 0) + 1;
    if (turn > 0) turns.set(path, turn);
    void (async () => {
      const otherwise: readonly [number, string] = method === 'POST' ? post(path, turn) : [404, ''];
      const [status, text] = (await account?.answer(request)) ?? otherwise;
      response.writeHead(status, { 'content-type': 'text/plain' }).end(text);
    })();
  });
  return server;
}
