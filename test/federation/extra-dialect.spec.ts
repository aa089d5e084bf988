import ipaddr from 'ipaddr.js';
import { DiscoveryClient, GuardedClient, PartnerMessenger, SignedCalls } from '#federation/client';
import {
  contentPlace,
  DIALECTS,
  localCloudId,
  parseCloudId,
  SecretText,
  type Dialect,
  type DialectRules,
  type PeerProfile,
} from '#federation/protocol';
import { replyJson, startFakeServer, type FakeServer } from '#testing';
import { keysOfVectors } from '../../libs/testing/src/partners/signing-keys';

const SECRET = 'Sh4redSecret0000000022';

/** A dialect that no server speaks: everything is a line of text below `/pigeons`, and answers begin with `coo`. */
const pigeons: DialectRules = {
  ...DIALECTS['ocm-webdav'],
  preference: (_product, document) => (document?.capabilities.includes('pigeons') ? 0 : undefined),
  endPoint: ({ baseUrl }) => `${baseUrl}/pigeons`,
  offer: (share, { baseUrl }) => ({
    method: 'POST',
    url: `${baseUrl}/pigeons/offers`,
    headers: { 'content-type': 'text/plain' },
    body: new SecretText(`${share.name} for ${share.shareWith.user}: ${share.sharedSecret.reveal()}`),
  }),
  notice: (notice, { baseUrl }) =>
    notice.kind === 'share-unshared'
      ? {
          method: 'POST',
          url: `${baseUrl}/pigeons/${notice.providerId}/end`,
          headers: { 'content-type': 'text/plain' },
          body: notice.sharedSecret,
        }
      : undefined,
  noticeForm: 'pigeons',
  isOwnSuccess: ({ words }) => words.startsWith('coo'),
  content: ({ providerId }, { baseUrl }) => ({
    root: `${baseUrl}/nest/${providerId}`,
    rootEndsInSlash: false,
    mayBeBelowRoot: false,
    keys: ['bearer'],
  }),
};
const SPOKEN = { ...DIALECTS, pigeons };
const NAME = 'pigeons' as Dialect;

const owner = { cloudId: localCloudId('alice', 'http://127.0.0.1:1'), displayName: 'Alice' };
const about = { providerId: '4711', sharedSecret: new SecretText(SECRET), grantee: null };

describe('a dialect that only this spec registers', () => {
  const rules = { allowHttp: true, allowAddresses: [ipaddr.parseCIDR('127.0.0.0/8')] };
  const client = new GuardedClient({ rules });
  const messenger = new PartnerMessenger(new SignedCalls(client, keysOfVectors()), Date.now, SPOKEN);
  let server: FakeServer;
  let words = 'coo, taken';
  let profile: PeerProfile;

  const offer = () =>
    messenger.send(
      {
        kind: 'offer',
        shareWith: parseCloudId(`bea@http://127.0.0.1:${server.port}`),
        name: 'plan.txt',
        nodeKind: 'file',
        ...{ providerId: '4711', sharedSecret: new SecretText(SECRET), owner, sender: owner },
        ...{ permissions: 19, expiresAt: null, description: '', webdavUri: 'http://127.0.0.1:1/x' },
        ...{ mustExchange: false, mustUseMfa: false },
      },
      profile,
    );

  beforeAll(async () => {
    server = await startFakeServer(({ method, path }, response) => {
      if (method === 'POST') return replyJson(response, 200, { message: words });
      if (path !== '/.well-known/ocm') return replyJson(response, 404, {});
      const url = `http://127.0.0.1:${server.port}`;
      const document = { enabled: true, apiVersion: '1.2.0', endPoint: `${url}/ocm`, resourceTypes: [] };
      return replyJson(response, 200, { ...document, capabilities: ['pigeons'] });
    });
    const place = parseCloudId(`bea@http://127.0.0.1:${server.port}`);
    const { conclusion } = await new DiscoveryClient(client, true, Date.now, SPOKEN).discover(place);
    if (conclusion.kind !== 'partner') throw new Error(conclusion.kind);
    profile = conclusion.profile;
  });
  afterAll(async () => {
    await client.close();
    await server.close();
  });

  it('is found by discovery, before the other dialects of its server', () => {
    expect(profile.dialects).toEqual(['pigeons', 'ocm-multi', 'ocm-webdav']);
  });

  it('brings offers to their recipient, in its own form', async () => {
    const report = await offer();
    expect(report).toMatchObject({ outcome: { kind: 'delivered' }, provenDialect: 'pigeons' });
    expect(server.requests.at(-1)).toMatchObject({
      path: '/pigeons/offers',
      body: `plan.txt for bea: ${SECRET}`,
    });
  });

  it('brings notices of its own kinds, and leaves the others to the next dialect', async () => {
    const ended = await messenger.send({ kind: 'share-unshared', ...about }, profile);
    expect(ended.outcome.kind).toBe('delivered');
    expect(server.requests.at(-1)).toMatchObject({ path: '/pigeons/4711/end', body: SECRET });
    await messenger.send({ kind: 'share-accepted', ...about }, profile);
    expect(server.requests.at(-1)!.path).toBe('/ocm/notifications');
  });

  it('decides by its own rule whether an answer comes from one of its servers', async () => {
    words = 'a parrot answers';
    expect((await offer()).outcome.kind).toBe('rediscover');
  });

  it('has the address of the content of its shares, and its credentials', () => {
    const stored = { dialect: NAME, providerId: '4711', name: 'plan.txt', access: {} };
    expect(contentPlace(stored, profile, SPOKEN)).toMatchObject({
      root: `http://127.0.0.1:${server.port}/nest/4711`,
      keys: ['bearer'],
    });
  });
});
