import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildRequest,
  classifyAnswer,
  concludeDiscovery,
  localCloudId,
  parseCloudId,
  parseOcmOffer,
  readOcmDocument,
  SecretText,
  type Outcome,
  type PeerProfile,
} from '#federation/protocol';
import manifest from './opencloud-manifest.json';
import { readOpenCloudReply, readOpenCloudRequests } from './server-exchange';

const BASE = 'http://127.0.0.1:9200';

function discovered(name: string): PeerProfile {
  const document = readOcmDocument(JSON.parse(readOpenCloudReply(name).body))!;
  const options = { named: [], ownName: 'Drawbridge', now: 0 };
  const conclusion = concludeDiscovery(BASE, [{ kind: 'document', document }], { kind: 'none' }, options);
  if (conclusion.kind !== 'partner') throw new Error(conclusion.kind);
  return conclusion.profile;
}

const answerTo = (kind: 'offer' | 'share-accepted', name: string): Outcome =>
  classifyAnswer(
    { kind, dialect: 'ocm-multi', product: 'opencloud' },
    { ...readOpenCloudReply(name), retryAfter: null },
    0,
  );

describe('recordings of OpenCloud', () => {
  it('are all listed once, as compared or as exempt with a reason', () => {
    const names = readdirSync(join(__dirname, '../fixtures/captures/opencloud')).sort();
    expect([...manifest.compared, ...Object.values(manifest.exempt).flat()].sort()).toEqual(names);
    for (const reason of Object.keys(manifest.exempt)) expect(reason).toMatch(/^[A-Z].{20,}\.$/);
  });
});

describe('an OpenCloud server', () => {
  it.each(['02-wellknown-ocm.http', '03-wellknown-ocm-ncUA.http'])(
    'is recognised by its discovery (%s)',
    (name) => {
      expect(discovered(name)).toMatchObject({
        product: 'opencloud',
        dialects: ['ocm-multi'],
        ocmEndPoint: `${BASE}/ocm`,
        webdavUrl: `${BASE}/dav/ocm`,
        dataAccess: 'bearer',
        capabilities: ['invite-accepted'],
      });
    },
  );

  it.each(['04-ocm-provider.http', 'D4-ocm-provider-noslash.http', 'D3-ocs-provider.http'])(
    'does not answer at the older addresses (%s)',
    (name) => expect(readOpenCloudReply(name).status).toBe(404),
  );

  it('gets a form that it accepts: no option, the address under both names, no unknown word', () => {
    const owner = { cloudId: localCloudId('alice', 'https://share.example.org'), displayName: 'Alice' };
    const request = buildRequest(
      {
        kind: 'offer',
        shareWith: parseCloudId('b1f74ec4-dd7e-11ef-a543-03775734d0f7@http://127.0.0.1:9200'),
        name: 'Proj',
        nodeKind: 'folder',
        providerId: '4711',
        sharedSecret: new SecretText('qX7tNn2cVb9LmPz4Kd3R22'),
        owner,
        sender: owner,
        description: '',
        permissions: 31,
        expiresAt: 1_798_675_200,
        webdavUri: 'https://share.example.org/dav/ocm/4711',
        mustExchange: false,
        mustUseMfa: false,
      },
      'ocm-multi',
      discovered('02-wellknown-ocm.http'),
    )!;
    expect(request.url).toBe(`${BASE}/ocm/shares`);
    expect(JSON.parse(request.body.reveal())).toEqual({
      shareWith: 'b1f74ec4-dd7e-11ef-a543-03775734d0f7@http://127.0.0.1:9200',
      name: 'Proj',
      providerId: '4711',
      owner: 'alice@share.example.org',
      ownerDisplayName: 'Alice',
      sender: 'alice@share.example.org',
      senderDisplayName: 'Alice',
      shareType: 'user',
      resourceType: 'folder',
      expiration: 1_798_675_200,
      protocol: {
        name: 'multi',
        webdav: {
          sharedSecret: 'qX7tNn2cVb9LmPz4Kd3R22',
          permissions: ['read', 'write'],
          uri: 'https://share.example.org/dav/ocm/4711',
          url: 'https://share.example.org/dav/ocm/4711',
        },
      },
    });
  });

  it.each([
    ['A1-ocm-share-multi.http', 'delivered'],
    ['A4-ocm-share-uri-only.http', 'delivered'],
    ['A11-ocm-share-dup.http', 'delivered'],
    ['A13-ocm-share-extra-fields.http', 'delivered'],
    ['A2-ocm-share-v1.0-options.http', 'next-dialect'],
    ['A3-ocm-share-dual-payload.http', 'next-dialect'],
    ['A8-ocm-share-noprotocol.http', 'next-dialect'],
    ['A9-ocm-share-missing.http', 'next-dialect'],
    ['A10-ocm-share-form.http', 'next-dialect'],
    ['A12-ocm-share-unknown-protocol.http', 'next-dialect'],
  ])('sends answers to offers that we understand (%s)', (name, kind) => {
    expect(answerTo('offer', name).kind).toBe(kind);
  });

  it.each([
    ['A5-ocm-share-username.http', 'recipient-unknown', 'user not found'],
    ['A6-ocm-share-unknown-user.http', 'recipient-unknown', 'user not found'],
    ['A7-ocm-share-untrusted.http', 'denied', 'provider not authorized'],
  ])('refuses an offer permanently (%s)', (name, reason, words) => {
    expect(answerTo('offer', name)).toEqual({ kind: 'refused', reason, words });
  });

  it.each(['A14-ocm-notif.http', 'A15-ocm-notif-empty.http'])('accepts every notice (%s)', (name) => {
    expect(answerTo('share-accepted', name).kind).toBe('delivered');
  });

  it('sends offers that we understand', () => {
    const offers = readOpenCloudRequests('outbound-to-peer.ndjson').filter(
      ({ url }) => url === '/ocm/shares',
    );
    expect(offers).toHaveLength(2);
    const [file, folder] = offers.map(({ body }) => parseOcmOffer(JSON.parse(body), new Date()));
    expect(file).toMatchObject({
      dialect: 'ocm-multi',
      shareType: 'user',
      recipientId: 'bob2',
      name: 'hello.txt',
      kind: 'file',
      providerId: 'cd3ff421-4eee-4dc9-86b0-b5394450211b',
      senderDisplayName: 'Alan Turing',
      ownerDisplayName: '',
      permissions: 1,
      webdavUri: 'http://127.0.0.1:9200/dav/ocm/cd3ff421-4eee-4dc9-86b0-b5394450211b',
      expiresAt: null,
      description: '',
    });
    expect(file!.owner).toMatchObject({ host: '127.0.0.1', port: 9200 });
    expect(file!.owner.user).toMatch(/^YjFmNzRlYz.*==$/);
    expect(folder).toMatchObject({ kind: 'folder', permissions: 15, name: 'Proj' });
    expect(JSON.stringify(file)).not.toContain('JSLHAJiVqTdnXTrNxzGpxESQRdQFomKy","');
    expect(file!.sharedSecret.reveal()).toBe('JSLHAJiVqTdnXTrNxzGpxESQRdQFomKy');
  });
});
