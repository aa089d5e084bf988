import { SecretText, type OutgoingShare, type PartnerMessage, type PeerProfile } from '#federation/protocol';
import { policyFrom, type PartnerTrust } from '#sharing';
import type { OutgoingMessage } from '../messages/message';
import type { DeliveryReport } from '../ports/delivery-report';
import type { OutboundPartner, OutboundPorts } from '../ports/outbound';
import type { ProfileFound } from '../ports/profile-found';
import { sendMessage } from './send-message';

const PROFILE = {
  opensWebapps: [],
  baseUrl: 'https://there.example.org',
  product: 'nextcloud',
  dialects: ['ocm-webdav'],
  provenDialect: null,
  ocmEndPoint: 'https://there.example.org/ocm',
  legacyShareUrl: null,
  capabilities: [],
  criteria: [],
  shareTypes: ['user'],
} as unknown as PeerProfile;

/** One partner and the messages sent to it, in memory. */
class Outbound implements OutboundPorts {
  readonly settings = new Map<string, string>();
  readonly sent: PartnerMessage[] = [];
  readonly demanded: number[] = [];
  trust: PartnerTrust = 'allowed';
  secondFactor = false;
  contact: string | undefined;
  found: ProfileFound = { kind: 'partner', profile: PROFILE };
  report: DeliveryReport = {
    outcome: { kind: 'delivered', reshare: null },
    attempts: [],
    provenDialect: null,
  };
  readonly kept: string[] = [];
  readonly publicUrl = 'https://here.example.org';
  readonly offerTimeoutMs = 90_000;
  readonly policy = { current: () => Promise.resolve(policyFrom(this.settings)) };
  readonly partners = {
    find: (id: number): Promise<OutboundPartner> =>
      Promise.resolve({ id, hostKey: 'there.example.org', trust: this.trust, outgoingTrust: null }),
    profileOf: () => Promise.resolve(this.found),
    keepProven: (_partner: OutboundPartner, _profile: PeerProfile, dialect: string) =>
      Promise.resolve(void this.kept.push(dialect)),
    rediscover: () => Promise.resolve(void this.kept.push('rediscover')),
    contactBehind: () => Promise.resolve(this.contact),
  };
  readonly tokens = {
    demandsOf: (shareId: number) =>
      Promise.resolve({ exchange: this.demanded.includes(shareId), secondFactor: this.secondFactor }),
    demandExchange: (shareId: number) => Promise.resolve(void this.demanded.push(shareId)),
  };
  isRequestOpen = true;
  readonly requests = { isOpen: () => Promise.resolve(this.isRequestOpen) };
  readonly messenger = {
    send: (message: PartnerMessage) => {
      this.sent.push(message);
      return Promise.resolve(this.report);
    },
  };
  readonly secrets = {
    seal: (secret: string) => Buffer.from(secret),
    open: (sealed: Buffer) => sealed.toString(),
    lookup: (secret: string) => Buffer.from(`key of ${secret}`),
  };
}

const about = {
  messageId: 1,
  subject: { type: 'share', id: 7 },
  peerId: 3,
  dedupeKey: 'key',
  revision: 0,
  sealedSecret: Buffer.from('secret'),
  attempts: 0,
  maybeDelivered: false,
} as const;
const alice = { uid: 'alice', displayName: 'Alice' };
const offer: OutgoingMessage = {
  ...about,
  kind: 'share-create',
  payload: {
    ...{ shareWith: 'bea@there.example.org', name: 'plans', nodeKind: 'folder', permissions: 31 },
    ...{ expiresOn: null, owner: alice, sender: alice },
  },
};
const request: OutgoingMessage = {
  ...about,
  kind: 'share-request',
  subject: { type: 'share-request', id: 9 },
  sealedSecret: null,
  payload: { owner: 'bea@there.example.org', requesterUid: 'alice', resource: '4711' },
};
const end: OutgoingMessage = {
  ...about,
  kind: 'share-unshare',
  payload: { providerId: '7', grantee: 'bea@there.example.org' },
};

const NOW = Date.parse('2026-11-30T12:00:00Z');

describe('a message to a partner, without a database or a network', () => {
  let world: Outbound;
  beforeEach(() => {
    world = new Outbound();
  });
  const send = (message: OutgoingMessage, nowMs = NOW) =>
    sendMessage(world, message, new AbortController().signal, nowMs);

  it('is sent with its decrypted secret, and records the dialect that the partner accepted', async () => {
    world.report = { ...world.report, provenDialect: 'ocm-webdav' };
    expect((await send(offer)).kind).toBe('delivered');
    expect(world.sent).toMatchObject([{ kind: 'offer', providerId: '7', name: 'plans' }]);
    expect((world.sent[0] as { sharedSecret: SecretText }).sharedSecret.reveal()).toBe('secret');
    expect(world.kept).toEqual(['ocm-webdav']);
  });

  it('offers a share to a group only where that is announced, under the name that was given', async () => {
    const toGroup = { ...offer, payload: { ...offer.payload, shareType: 'group' } };
    expect(await send(toGroup)).toMatchObject({ kind: 'refused', errorClass: 'unsupported' });
    expect(world.kept).toEqual(['rediscover']);
    world.found = { kind: 'partner', profile: { ...PROFILE, shareTypes: ['user', 'group'] } };
    world.contact = 'Bea%40elsewhere';
    expect((await send(toGroup)).kind).toBe('delivered');
    expect(world.sent).toMatchObject([{ isForGroup: true, shareWith: { user: 'bea' } }]);
    world.trust = 'invited';
    expect(await send(toGroup)).toMatchObject({ kind: 'failed', errorClass: 'policy' });
  });

  it('asks for a share only while the request is open, and shares of other servers are taken', async () => {
    expect((await send(request)).kind).toBe('delivered');
    expect(world.sent).toMatchObject([{ kind: 'share-request', resource: '4711' }]);
    world.isRequestOpen = false;
    expect(await send(request)).toMatchObject({ kind: 'failed', errorClass: 'policy' });
    world.isRequestOpen = true;
    world.settings.set('files_sharing/incoming_server2server_share_enabled', 'no');
    expect(await send(request)).toMatchObject({ kind: 'failed', errorClass: 'policy' });
    expect(world.sent).toHaveLength(1);
  });

  it('is not sent to a denied partner, unless it ends an access', async () => {
    world.trust = 'denied';
    expect(await send(offer)).toMatchObject({ kind: 'failed', errorClass: 'policy' });
    expect(world.sent).toEqual([]);
    expect((await send(end)).kind).toBe('delivered');
    // The share of its sender would stay, and nobody repeats the message after the end of the recipient's account.
    expect((await send({ ...end, kind: 'received-decline' })).kind).toBe('delivered');
    expect((await send({ ...end, kind: 'reshare-declined' })).kind).toBe('delivered');
    expect(await send({ ...end, kind: 'received-accept' })).toMatchObject({ errorClass: 'policy' });
  });

  it('is not sent after the last day of its share, unless it ends an access', async () => {
    const expiresOn = '2026-11-30';
    const late = { ...offer, payload: { ...offer.payload, expiresOn } };
    const change: OutgoingMessage = {
      ...about,
      kind: 'share-permissions',
      payload: { ...end.payload, permissions: 1, expiresOn },
    };
    const tomorrow = Date.parse('2026-12-01T00:00:00Z');
    expect((await send(late)).kind).toBe('delivered');
    expect((await send(change)).kind).toBe('delivered');
    const message = 'the share expired before it could be sent';
    expect(await send(late, tomorrow)).toEqual({ kind: 'failed', errorClass: 'policy', message });
    expect(await send(change, tomorrow)).toEqual({ kind: 'not-sent', message });
    expect((await send(end, tomorrow)).kind).toBe('delivered');
    expect(world.sent.map(({ kind }) => kind)).toEqual(['offer', 'share-permissions', 'share-unshared']);
  });

  it('waits while outgoing shares are switched off, unless it ends an access', async () => {
    world.settings.set('files_sharing/outgoing_server2server_share_enabled', 'no');
    expect(await send(offer)).toMatchObject({ kind: 'retry', errorClass: 'policy' });
    expect((await send(end)).kind).toBe('delivered');
    expect(world.sent.map(({ kind }) => kind)).toEqual(['share-unshared']);
  });

  it('offers only to contacts if invitations are needed', async () => {
    world.trust = 'invited';
    expect(await send(offer)).toMatchObject({ kind: 'failed', errorClass: 'policy' });
    world.contact = 'bea';
    expect((await send(offer)).kind).toBe('delivered');
  });

  it('stores the demand to exchange the secret before it is sent', async () => {
    const profile = { ...PROFILE, criteria: ['must-exchange-token'] };
    world.found = { kind: 'partner', profile };
    await send(offer);
    expect(world.demanded).toEqual([7]);
    expect(world.sent).toMatchObject([{ mustExchange: true }]);
    world.found = { kind: 'partner', profile: { ...profile, ocmEndPoint: null } };
    expect(await send(offer)).toMatchObject({ kind: 'failed', errorClass: 'unsupported' });
  });

  it('has a page, and demands the exchange, only for servers that open pages of its kind and can exchange', async () => {
    world.settings.set('federatedfilesharing/outgoing_webapps', 'yes');
    const opensWebapps = [offer.payload.nodeKind as 'file' | 'folder'];
    const able = { ...PROFILE, opensWebapps, capabilities: ['exchange-token'] };
    const page = async (profile: PeerProfile): Promise<unknown> => {
      world.found = { kind: 'partner', profile };
      await send(offer);
      const { webappUri, mustExchange } = world.sent.at(-1) as OutgoingShare;
      return webappUri === undefined ? mustExchange : webappUri.slice(-6);
    };
    expect(await page({ ...able, capabilities: [] })).toBe(false);
    expect(await page({ ...able, opensWebapps: [] })).toBe(false);
    expect(world.demanded).toEqual([]);
    expect(await page(able)).toBe('/app/7');
    expect(world.demanded).toEqual([7]);
    world.settings.set('federatedfilesharing/outgoing_webapps', 'no');
    // The demand stays.
    expect(await page(able)).toBe(true);
  });

  it('demands a second factor of a server that supports it, and offers nothing to others', async () => {
    world.secondFactor = true;
    expect(await send(offer)).toMatchObject({ kind: 'refused', errorClass: 'unsupported' });
    expect([world.sent, world.kept]).toEqual([[], ['rediscover']]);
    world.found = { kind: 'partner', profile: { ...PROFILE, capabilities: ['enforce-mfa'] } };
    expect((await send(offer)).kind).toBe('delivered');
    expect(world.sent).toMatchObject([{ mustUseMfa: true, mustExchange: false }]);
  });

  it('ends an offer to an unknown server that does not exist', async () => {
    world.found = { kind: 'inconclusive', errorClass: 'unknown-host', isNew: true };
    expect(await send(offer)).toMatchObject({ kind: 'failed', errorClass: 'unknown-host' });
    expect((await send(end)).kind).toBe('retry');
  });

  it('discovers a partner again if it answers like another product', async () => {
    world.report = { ...world.report, outcome: { kind: 'rediscover', words: 'it answers from elsewhere' } };
    expect((await send(end)).kind).toBe('retry');
    expect(world.kept).toEqual(['rediscover']);
  });
});
