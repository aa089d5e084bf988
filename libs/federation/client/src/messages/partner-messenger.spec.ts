import ipaddr from 'ipaddr.js';
import {
  localCloudId,
  parseCloudId,
  SecretText,
  type OutgoingNotice,
  type OutgoingShare,
  type PeerProfile,
} from '#federation/protocol';
import {
  startLegacyServer,
  startMisbehaving,
  startNextcloud,
  startOpenCloud,
  startOwnCloud,
  type FakePartner,
  type FakeServer,
  type Misbehaviour,
} from '#testing';
import { keysOfVectors } from '../../../../testing/src/partners/signing-keys';
import { DiscoveryClient } from '../discovery/discovery-client';
import { GuardedClient } from '../egress/guarded-client';
import { SignedCalls } from './signed-calls';
import { PartnerMessenger } from './partner-messenger';

const SECRET = 'Sh4redSecret0000000022';
const OWNER = { cloudId: localCloudId('alice', 'http://127.0.0.1:1'), displayName: 'Alice' };

function offerFor(shareWith: string, change: Partial<OutgoingShare> = {}): OutgoingShare {
  return {
    kind: 'offer',
    shareWith: parseCloudId(shareWith),
    name: 'plan.txt',
    nodeKind: 'file',
    providerId: '4711',
    sharedSecret: new SecretText(SECRET),
    owner: OWNER,
    sender: OWNER,
    permissions: 19,
    expiresAt: null,
    description: '',
    webdavUri: 'http://127.0.0.1:1/dav/ocm/4711',
    mustExchange: false,
    mustUseMfa: false,
    ...change,
  };
}

const notice = (
  kind: 'share-accepted' | 'share-declined' | 'share-unshared' | 'reshare-undone',
): OutgoingNotice => ({
  kind,
  providerId: '4711',
  sharedSecret: new SecretText(SECRET),
  grantee: parseCloudId('bea@host.test'),
});

describe('a message to a partner', () => {
  const servers: FakeServer[] = [];
  const rules = { allowHttp: true, allowAddresses: [ipaddr.parseCIDR('127.0.0.0/8')] };
  const client = new GuardedClient({ rules });
  const messenger = new PartnerMessenger(new SignedCalls(client, keysOfVectors()));
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });
  afterAll(() => client.close());

  async function meet<T extends FakeServer>(
    starting: Promise<T>,
  ): Promise<{ partner: T; profile: PeerProfile; host: string }> {
    const partner = await starting;
    servers.push(partner);
    const host = `127.0.0.1:${partner.port}`;
    const { conclusion } = await new DiscoveryClient(client, true).discover(
      parseCloudId(`bea@http://${host}`),
    );
    if (conclusion.kind !== 'partner') throw new Error(conclusion.kind);
    return { partner, profile: conclusion.profile, host };
  }

  const PRODUCTS: [string, () => Promise<FakePartner>, string][] = [
    ['ownCloud', startOwnCloud, 'ocm-webdav'],
    ['Nextcloud', startNextcloud, 'ocm-webdav'],
    ['OpenCloud', startOpenCloud, 'ocm-multi'],
    ['a legacy server', startLegacyServer, 'legacy'],
  ];

  it.each(PRODUCTS)('offers a share: %s accepts it once, in one request', async (_name, start, dialect) => {
    const { partner, profile, host } = await meet(start());
    const report = await messenger.send(offerFor(`bea@${host}`), profile, { idempotencyKey: 'outbox-1' });
    expect(report).toMatchObject({ outcome: { kind: 'delivered' }, provenDialect: dialect });
    expect(report.attempts).toHaveLength(1);
    expect(partner.taken).toEqual([
      { dialect: dialect === 'legacy' ? 'legacy' : 'ocm', providerId: '4711', recipient: 'bea' },
    ]);
    const [post] = partner.requests.filter(({ method }) => method === 'POST');
    expect(post!.headers).toMatchObject({
      'idempotency-key': 'outbox-1',
      'user-agent': expect.stringMatching(/^Drawbridge\//),
    });
  });

  it.each(PRODUCTS)('offers a share: %s refuses an unknown account, in one request', async (_name, start) => {
    const { partner, profile, host } = await meet(start());
    const { outcome } = await messenger.send(offerFor(`ghost@${host}`), profile);
    expect(outcome).toMatchObject({
      kind: 'refused',
      reason: 'recipient-unknown',
      words: expect.stringMatching(/exist|found/),
    });
    expect(partner.taken).toEqual([]);
    expect(partner.seen('POST')).toHaveLength(1);
  });

  it.each(PRODUCTS.slice(0, 2))('accepts, declines or ends a share: %s', async (_name, start) => {
    const { profile } = await meet(start());
    for (const kind of ['share-accepted', 'share-declined', 'share-unshared'] as const) {
      expect((await messenger.send(notice(kind), profile)).outcome.kind).toBe('delivered');
    }
  });

  it('ends a reshare at ownCloud in the legacy dialect', async () => {
    const { partner, profile } = await meet(startOwnCloud());
    expect((await messenger.send(notice('reshare-undone'), profile)).outcome.kind).toBe('delivered');
    expect(partner.seen('POST')).toEqual(['POST /ocs/v2.php/cloud/shares/4711/revoke?format=json']);
  });

  it('is not sent if the product has no such message', async () => {
    const { partner, profile } = await meet(startOpenCloud());
    const report = await messenger.send(notice('share-accepted'), profile);
    expect(report).toEqual({ outcome: { kind: 'not-sent' }, attempts: [], provenDialect: null });
    expect(partner.seen('POST')).toEqual([]);
  });

  it.each(PRODUCTS.slice(0, 2))('requests a reshare: %s grants it', async (_name, start) => {
    const { profile } = await meet(start());
    const request: OutgoingNotice = {
      kind: 'reshare-requested',
      providerId: '55',
      sharedSecret: new SecretText(SECRET),
      grantee: null,
      shareWith: parseCloudId('bob@third.test'),
      requesterShareId: '2',
      permissions: 31,
    };
    const report = await messenger.send(request, profile);
    expect(report.outcome).toMatchObject({ kind: 'delivered', reshare: { providerId: '59' } });
    expect(JSON.stringify(report)).not.toContain('GrantedToken22');
  });

  it('uses the next dialect after a definite refusal, and stays with it', async () => {
    const { partner, profile, host } = await meet(startOwnCloud());
    const mistaken: PeerProfile = {
      ...profile,
      dialects: ['ocm-multi', 'ocm-webdav', 'legacy'],
      product: 'unknown',
    };
    const report = await messenger.send(offerFor(`bea@${host}`, { nodeKind: 'folder' }), mistaken);
    expect(report.attempts.map(({ dialect, httpStatus }) => [dialect, httpStatus])).toEqual([
      ['ocm-multi', 501],
      ['ocm-webdav', 201],
    ]);
    expect(report.provenDialect).toBe('ocm-webdav');
    expect(partner.taken).toHaveLength(1);
    const again = await messenger.send(offerFor(`bea@${host}`), { ...mistaken, provenDialect: 'ocm-webdav' });
    expect(again.attempts).toHaveLength(1);
  });

  it.each<[Misbehaviour, object, number?]>([
    ['hang', { kind: 'retry', errorClass: 'timeout', mayHaveArrived: true }],
    ['slow bytes', { kind: 'retry', errorClass: 'timeout', mayHaveArrived: true }],
    ['hangs up', { kind: 'retry', errorClass: 'reset', mayHaveArrived: true }],
    ['half an answer', { kind: 'retry', errorClass: 'reset', mayHaveArrived: true }],
    ['100 MB with 200', { kind: 'retry', errorClass: 'too-large', mayHaveArrived: true }],
    ['100 MB with 201', { kind: 'delivered' }],
    ['decompression bomb', { kind: 'retry', errorClass: 'too-large' }],
    ['10,000 headers', { kind: 'retry', errorClass: 'too-large' }],
    ['invalid JSON with 200', { kind: 'rediscover' }],
    ['HTML with 200', { kind: 'rediscover' }],
    ['200 with {}', { kind: 'delivered' }],
    ['201 with an empty array', { kind: 'delivered' }],
    ['500 with a page', { kind: 'retry', errorClass: 'partner-error' }],
    ['501', { kind: 'refused', reason: 'unsupported', words: 'not here' }],
    [
      '429 with Retry-After',
      { kind: 'retry', errorClass: 'limited', retryAfterMs: 120_000, mayHaveArrived: false },
    ],
    [
      '503 with Retry-After',
      { kind: 'retry', errorClass: 'partner-error', retryAfterMs: 30_000, mayHaveArrived: false },
    ],
    ['301', { kind: 'rediscover' }],
  ])('when it does this: %s', async (kind, outcome) => {
    const { partner, profile, host } = await meet(startMisbehaving(kind));
    const answerMs = kind === 'hang' || kind === 'slow bytes' ? 1_000 : undefined;
    const report = await messenger.send(offerFor(`bea@${host}`), profile, { answerMs });
    expect(report.outcome).toMatchObject(outcome);
    // However odd the answer is, the message is not sent again at once.
    expect(partner.seen('POST')).toHaveLength(1);
    expect(report.attempts).toHaveLength(1);
    expect(report.attempts[0]!.excerpt.length).toBeLessThanOrEqual(500);
  });

  it('never shows the secret in its report, even if the partner repeats it', async () => {
    const { profile, host } = await meet(startMisbehaving('repeats the secret'));
    const report = await messenger.send(offerFor(`bea@${host}`), profile);
    expect(report.outcome).toMatchObject({ kind: 'refused', words: expect.stringContaining('[secret]') });
    expect(JSON.stringify(report)).not.toContain(SECRET);
  });

  it('is reported if the partner is down, and delivered when it is back', async () => {
    const { partner, profile, host } = await meet(startOwnCloud());
    await partner.close();
    const message = offerFor(`bea@${host}`);
    const down = await messenger.send(message, profile);
    expect(down.outcome.kind).toBe('retry');
    const back = await startOwnCloud({ port: partner.port });
    servers.push(back);
    expect((await messenger.send(message, profile)).outcome.kind).toBe('delivered');
    expect(back.taken).toHaveLength(1);
  });

  it('is not sent to an address that our own rules forbid', async () => {
    const { partner, profile, host } = await meet(startOwnCloud());
    const strict = new GuardedClient({ rules: { allowHttp: false, allowAddresses: [] } });
    const report = await new PartnerMessenger(new SignedCalls(strict, keysOfVectors())).send(
      offerFor(`bea@${host}`),
      profile,
    );
    expect(report.outcome).toEqual({ kind: 'refused', reason: 'blocked', words: '' });
    expect(partner.seen('POST')).toEqual([]);
    await strict.close();
  });
});
