import { createPublicKey } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import {
  localCloudId,
  parseCloudId,
  SecretText,
  type Dialect,
  type PartnerMessage,
  type PeerProfile,
} from '#federation/protocol';
import { replyJson, startFakeServer, type FakeServer } from '#testing';
import { checkSignature, type KeyLookup } from '../../../../testing/src/partners/signature-check';
import { PartnerFilesStage } from '../../../../testing/src/rigs/partner-files-stage';
import { keysOfVectors } from '../../../../testing/src/partners/signing-keys';
import { ROOT } from '#storage';
import { PartnerMessenger } from '../messages/partner-messenger';
import { GuardedClient } from '../egress/guarded-client';
import { PartnerTrustCalls } from '../trust/partner-trust-calls';
import { SignedCalls } from './signed-calls';

const SECRET = new SecretText('Sh4redSecret0000000022');
const OWNER = { cloudId: localCloudId('alice', 'https://share.example.org'), displayName: 'Älice' };
const BEA = parseCloudId('bea@host.test');
const ABOUT = { providerId: '4711', sharedSecret: SECRET, grantee: BEA };

/** One message of each kind. The compiler demands an entry for a new kind. */
const MESSAGES: Readonly<Record<PartnerMessage['kind'], PartnerMessage>> = {
  offer: {
    kind: 'offer',
    shareWith: BEA,
    name: 'plan für alle.txt',
    nodeKind: 'file',
    providerId: '4711',
    sharedSecret: SECRET,
    owner: OWNER,
    sender: OWNER,
    permissions: 19,
    expiresAt: null,
    description: '',
    webdavUri: 'https://share.example.org/dav/ocm/4711',
    mustExchange: false,
    mustUseMfa: false,
  },
  'share-accepted': { ...ABOUT, kind: 'share-accepted' },
  'share-seen': { ...ABOUT, kind: 'share-seen' },
  'share-declined': { ...ABOUT, kind: 'share-declined', reason: 'not mine' },
  'share-unshared': { ...ABOUT, kind: 'share-unshared' },
  'reshare-undone': { ...ABOUT, kind: 'reshare-undone' },
  'reshare-permissions': { ...ABOUT, kind: 'reshare-permissions', permissions: 1 },
  'share-permissions': {
    ...ABOUT,
    kind: 'share-permissions',
    permissions: 1,
    webdavUri: 'https://share.example.org/dav/ocm/4711',
    mustExchange: false,
    mustUseMfa: false,
  },
  'content-changed': { ...ABOUT, kind: 'content-changed', etag: 'e7a9', size: 12, path: '/plans' },
  'share-request': { kind: 'share-request', owner: BEA, requester: OWNER.cloudId, resource: '4711' },
  'reshare-requested': {
    ...ABOUT,
    kind: 'reshare-requested',
    shareWith: BEA,
    requesterShareId: '22',
    permissions: 19,
  },
};

const rules = { allowHttp: true, allowAddresses: [ipaddr.parseCIDR('127.0.0.0/8')] };
const client = new GuardedClient({ rules });
const keys = keysOfVectors();
let server: FakeServer;
let now: number;
const calls = new SignedCalls(client, keys, () => now);
beforeEach(async () => {
  now = Date.now();
  server = await startFakeServer((_request, response) => replyJson(response, 201, {}));
});
afterEach(() => server.close());
afterAll(() => client.close());

const keyOf: KeyLookup = async (keyId, scheme) => {
  const own = await keys.signing(scheme === 'cavage' ? 'cavage' : 'rfc9421');
  return own.keyId === keyId ? createPublicKey(own.key) : undefined;
};

/** Findings of a strict partner about all requests that it received, one per line. */
async function verdicts(): Promise<string[]> {
  const { requests, url } = server;
  const found = await Promise.all(requests.map((request) => checkSignature(request, url, keyOf)));
  return found.map(({ scheme, fault }) => fault ?? scheme);
}

function profileOf(dialect: Dialect, capabilities: readonly string[]): PeerProfile {
  return {
    baseUrl: server.url,
    product: 'drawbridge',
    productIsGiven: false,
    dialects: [dialect],
    provenDialect: dialect,
    ocmEndPoint: `${server.url}/ocm`,
    legacyShareUrl: `${server.url}/ocs/v2.php/cloud/shares`,
    webdavUrl: null,
    tokenEndPoint: null,
    inviteAcceptDialog: null,
    webdavReceive: null,
    opensWebapps: [],
    signBy: null,
    shareTypes: [],
    spelling: 'as-written',
    dataAccess: 'basic',
    capabilities,
    criteria: [],
    apiVersion: null,
    discoveredAt: now,
    expiresAt: now,
  };
}

const SCHEMES = [
  ['cavage', ['content-changes', 'seen-shares', 'request-share']],
  ['rfc9421', ['content-changes', 'seen-shares', 'request-share', 'http-sig']],
] as const;
const DIALECTS: readonly Dialect[] = ['ocm-multi', 'ocm-webdav', 'legacy'];

it('no message is signed if an operator chose this for the partner', async () => {
  const profile = { ...profileOf('ocm-multi', ['http-sig']), signBy: 'none' as const };
  await new PartnerMessenger(calls).send(Object.values(MESSAGES)[0]!, profile);
  expect(server.requests).not.toEqual([]);
  for (const { headers } of server.requests)
    expect([headers['signature'], headers['signature-input']]).toEqual([undefined, undefined]);
});

describe.each(SCHEMES)('to a partner that checks %s', (scheme, capabilities) => {
  it.each(DIALECTS)('every message in %s is signed', async (dialect) => {
    const messenger = new PartnerMessenger(calls);
    const profile = profileOf(dialect, capabilities);
    const sent: string[] = [];
    for (const message of Object.values(MESSAGES)) {
      const { attempts } = await messenger.send(message, profile, { idempotencyKey: 'one' });
      if (attempts.length > 0) sent.push(message.kind);
    }
    // The legacy dialect has no form for these.
    const unsayable =
      dialect === 'legacy' ? ['share-seen', 'share-permissions', 'content-changed', 'share-request'] : [];
    const all = Object.keys(MESSAGES).filter((kind) => !unsayable.includes(kind));
    expect(sent).toEqual(all);
    expect(await verdicts()).toEqual(sent.map(() => scheme));
  });

  it('every call about trust is signed', async () => {
    const trust = new PartnerTrustCalls(calls);
    const partner = { baseUrl: server.url, capabilities, signBy: null };
    await trust.askForFetch(partner, 'https://share.example.org', SECRET);
    await trust.fetchSecret(partner, 'https://share.example.org', SECRET);
    const person = { userId: 'alice', email: '', name: 'Älice' };
    const [ocmEndPoint, provider] = [`${server.url}/ocm`, 'share.example.org'];
    await trust.acceptInvitation({ partner, ocmEndPoint, hostKey: 'b', token: SECRET, provider, person });
    expect(server.requests.map(({ method }) => method)).toEqual(['POST', 'GET', 'POST']);
    expect(await verdicts()).toEqual([scheme, scheme, scheme]);
  });

  it('each attempt gets a new signature for its own content', async () => {
    const messenger = new PartnerMessenger(calls);
    const profile = profileOf('ocm-webdav', capabilities);
    await messenger.send(MESSAGES.offer, profile);
    now -= 2_000;
    await messenger.send(MESSAGES.offer, profile);
    const [first, second] = server.requests;
    expect(second!.body).toBe(first!.body);
    expect(second!.headers.date).not.toBe(first!.headers.date);
    expect(second!.headers.signature).not.toBe(first!.headers.signature);
    expect(await verdicts()).toEqual([scheme, scheme]);
  });

  it('an address in another spelling is signed as it is called', async () => {
    const { port } = server;
    const partner = { baseUrl: `http://LOCALHOST:${port}/a/../b c`, capabilities, signBy: null };
    await new PartnerTrustCalls(calls).askForFetch(partner, 'https://share.example.org', SECRET);
    const [request] = server.requests;
    expect(request!.path).toMatch(/^\/b%20c\/ocs/);
    const url = `http://localhost:${port}`;
    expect(await checkSignature(request!, url, keyOf)).toMatchObject({ scheme, fault: null });
  });
});

it.each(SCHEMES)('the exchange of a secret is signed: %s', async (scheme, capabilities) => {
  const stage = await PartnerFilesStage.start();
  try {
    const options = { flavour: 'reva', exchange: 'required' } as const;
    const { share } = await stage.share(options, { requirements: ['must-exchange-token'] });
    await stage.files().probe(share, ROOT, 0);
    const { dataSource } = stage.test.database;
    await dataSource.query(
      'UPDATE received_share SET access_token_enc = NULL, access_token_expires_at = NULL',
    );
    await dataSource.query(`UPDATE peer SET profile = profile || $1::jsonb`, [
      JSON.stringify({ capabilities, tokenEndPoint: `${server.url}/ocm/token` }),
    ]);
    await expect(stage.files().probe(share, ROOT, 0)).rejects.toMatchObject({ code: 'not-understood' });
    expect(server.seen('POST')).toEqual(['POST /ocm/token']);
    expect(await verdicts()).toEqual([scheme]);
  } finally {
    await stage.end();
  }
});

it('a strict partner detects a change on the way', async () => {
  const messenger = new PartnerMessenger(calls);
  for (const [, capabilities] of SCHEMES)
    await messenger.send(MESSAGES.offer, profileOf('ocm-webdav', capabilities));
  for (const request of server.requests) {
    const changed = [
      { ...request, path: '/ocm/other' },
      { ...request, body: request.body.replace('4711', '4712') },
      { ...request, headers: { ...request.headers, date: new Date(now - 1_000).toUTCString() } },
      { ...request, headers: { ...request.headers, signature: undefined } },
    ];
    for (const one of changed)
      expect((await checkSignature(one, server.url, keyOf)).fault).toEqual(expect.any(String));
  }
});
