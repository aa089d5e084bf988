import {
  buildRequest,
  classifyAnswer,
  concludeDiscovery,
  FederationRefused,
  hostOfAddress,
  localCloudId,
  parseAcceptedInvitation,
  parseBoundedJson,
  parseCloudId,
  parseOcmNotice,
  parseOcmOffer,
  parseTokenRequest,
  readAcceptanceAnswer,
  readExchange,
  readOcmDocument,
  SecretText,
  type PeerProfile,
} from '#federation/protocol';
import { readJwks, verifyRequest, type PartnerKeys } from '#federation/signatures';
import { parsePropfind } from '#storage';
import { seenInMemory } from '../../libs/testing/src/partners/signed-requests';
import { readLiveExchanges, type LiveExchange } from './live-exchange';
import manifest from './live-manifest.json';

const RECORDED_AT = new Date('2026-11-22T09:00:00Z');
type Recording = keyof typeof manifest;

/** The compared exchanges of a recording with one address, with their numbers. */
function compared(name: Recording, path: string): [number, LiveExchange][] {
  const exchanges = readLiveExchanges(name);
  return manifest[name].compared
    .map((number): [number, LiveExchange] => [number, exchanges[number - 1]!])
    .filter(([, { url, method }]) => (path === 'PROPFIND' ? method === path : url === path));
}

const refusalOf = (read: () => unknown): string => {
  try {
    read();
    return 'taken';
  } catch (error) {
    if (error instanceof FederationRefused) return error.refusal;
    throw error;
  }
};

describe('recordings of running servers', () => {
  it.each(Object.keys(manifest) as Recording[])(
    '%s: each exchange is compared or exempt for a reason',
    (name) => {
      const { compared: looked, exempt } = manifest[name];
      const numbers = [...looked, ...Object.values(exempt).flat()].sort((a, b) => a - b);
      expect(numbers).toEqual(readLiveExchanges(name).map((_, index) => index + 1));
      for (const reason of Object.keys(exempt)) expect(reason).toMatch(/^[A-Z].{20,}\.$/);
    },
  );
});

describe('messages of running servers', () => {
  /** The stub of OCM names no host there. */
  const REFUSED_OFFERS = [5];

  it.each(compared('drawbridge-as-receiver', '/ocm/shares'))('offer %i is understood', (number, exchange) => {
    const body = parseBoundedJson(exchange.request_body ?? '');
    const refusal = refusalOf(() => parseOcmOffer(body, RECORDED_AT));
    expect(refusal === 'taken').toBe(!REFUSED_OFFERS.includes(number));
  });

  it.each(compared('drawbridge-as-receiver', '/ocm/invite-accepted'))(
    'acceptance %i is understood',
    (_, { request_body }) => {
      const { person } = parseAcceptedInvitation(parseBoundedJson(request_body ?? ''));
      expect(person.person).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    },
  );

  it.each(compared('drawbridge-as-receiver', '/ocm/notifications'))(
    'notification %i is understood',
    (_, { request_body }) => {
      expect(parseOcmNotice(parseBoundedJson(request_body ?? ''))).toMatchObject({
        sharedSecret: null,
        grantee: null,
      });
    },
  );

  it.each(compared('drawbridge-as-receiver', '/ocm/token'))(
    'token request %i is understood',
    (_, { request_body }) => {
      expect(parseTokenRequest(request_body ?? '').secret.reveal()).not.toBe('');
    },
  );

  it.each(compared('drawbridge-as-receiver', 'PROPFIND'))(
    'PROPFIND %i is understood',
    (_, { request_body }) => {
      expect(parsePropfind(request_body ?? '')).toBeDefined();
    },
  );

  const [, jwks] = compared('opencloudmesh-go-as-receiver', '/ocm/jwks')[0]!;
  const signed = ['/ocm/shares', '/ocm/invite-accepted', '/ocm/notifications', '/ocm/token']
    .flatMap((path) => compared('drawbridge-as-receiver', path))
    .filter(([, { request_headers: headers }]) => headers['signature-input']?.includes('ocmgo1.ocis.test'));

  it('are signed by keys that were published', () => expect(signed.length).toBeGreaterThan(5));

  it.each(signed)('signature %i is right, and wrong for another body', async (_, exchange) => {
    const host = hostOfAddress('ocmgo1.ocis.test');
    const [key] = readJwks(jwks.response_body ?? '');
    const found = () => Promise.resolve({ kind: 'found', key: key!, host } as const);
    const keys: PartnerKeys = { find: found, findAnew: found };
    const { request_headers: headers, request_body: body, method, url } = exchange;
    const created = Number(/created=(\d+)/.exec(headers['signature-input']!)![1]);
    const verified = (rawBody: string) =>
      verifyRequest(
        {
          method,
          url: `https://db1.ocis.test${url}`,
          rawHeaders: Object.entries(headers).flat(),
          rawBody: Buffer.from(rawBody),
        },
        { keys, seen: seenInMemory(), now: created * 1000 },
      );
    expect(await verified(body!)).toMatchObject({ kind: 'valid', algorithm: 'ed25519', host });
    expect(await verified(`x${body!.slice(1)}`)).toMatchObject({ kind: 'invalid' });
  });
});

function profileOf(name: Recording, host: string): PeerProfile {
  const [, { response_body }] = compared(name, '/.well-known/ocm').at(-1)!;
  const document = readOcmDocument(JSON.parse(response_body!))!;
  const options = { named: [], ownName: 'Drawbridge', now: 0 };
  const conclusion = concludeDiscovery(
    `https://${host}`,
    [{ kind: 'document', document }],
    { kind: 'none' },
    options,
  );
  if (conclusion.kind !== 'partner') throw new Error(conclusion.kind);
  return conclusion.profile;
}

const STRICT = profileOf('opencloudmesh-go-as-receiver', 'ocmgo1.ocis.test');
const OPENCLOUD = profileOf('opencloud-as-receiver', 'oc1.ocis.test');

describe('answers of running servers', () => {
  it('to discovery reveal their product', () => {
    expect(OPENCLOUD).toMatchObject({ product: 'opencloud', dialects: ['ocm-multi'] });
    expect(STRICT).toMatchObject({
      product: 'ocm',
      webdavReceive: 'relative',
      tokenEndPoint: 'https://ocmgo1.ocis.test/ocm/token',
    });
  });

  const MEANING: Readonly<Record<number, string>> = {
    200: 'delivered',
    201: 'delivered',
    400: 'next-dialect',
    401: 'refused',
    404: 'refused',
    501: 'next-dialect',
  };
  const answers = ([OPENCLOUD, STRICT] as const).flatMap((profile) => {
    const name = profile === STRICT ? 'opencloudmesh-go-as-receiver' : 'opencloud-as-receiver';
    return (['shares', 'notifications'] as const).flatMap((what) =>
      compared(name, `/ocm/${what}`).map(
        ([number, exchange]) => [profile.product, what, number, exchange] as const,
      ),
    );
  });

  it.each(answers)('of %s to %s %i are understood', (product, what, _, { status, response_body }) => {
    const sent = {
      kind: what === 'shares' ? 'offer' : 'share-unshared',
      dialect: 'ocm-multi',
      product,
    } as const;
    const raw = { status: Number(status), body: response_body ?? '', retryAfter: null };
    expect(classifyAnswer(sent, raw, 0).kind).toBe(MEANING[Number(status)]);
  });

  it.each(
    (['opencloud-as-receiver', 'opencloudmesh-go-as-receiver'] as const).flatMap((name) =>
      compared(name, '/ocm/invite-accepted'),
    ),
  )('to acceptance %i are understood', (_, { status, response_body }) => {
    const answer = readAcceptanceAnswer(Number(status), response_body ?? '', 'cloud.example.org');
    expect(answer.kind).toBe(status === 200 ? 'accepted' : 'refused');
  });

  it.each(compared('opencloudmesh-go-as-receiver', '/ocm/token'))(
    'to token request %i are understood',
    (_, exchange) => {
      const { kind } = readExchange(Number(exchange.status), exchange.response_body ?? '');
      expect(kind === 'granted').toBe(exchange.status === 200);
    },
  );
});

describe('an offer to a running server', () => {
  it('has the form that the strict server accepted, without the older name of the address', () => {
    const [, { request_body }] = compared('opencloudmesh-go-as-receiver', '/ocm/shares').find(
      ([, { status }]) => status === 201,
    )!;
    const recorded = JSON.parse(request_body!) as Record<string, string> & {
      protocol: { name: string; webdav: Record<string, string> };
    };
    const { url: _, ...webdav } = recorded.protocol.webdav;
    const owner = { cloudId: localCloudId('carol', 'https://db1.ocis.test'), displayName: 'carol' };
    const request = buildRequest(
      {
        kind: 'offer',
        shareWith: parseCloudId(recorded['shareWith']!),
        name: recorded['name']!,
        nodeKind: 'file',
        providerId: recorded['providerId']!,
        sharedSecret: new SecretText(webdav['sharedSecret']!),
        owner,
        sender: owner,
        permissions: 1,
        expiresAt: null,
        description: '',
        webdavUri: webdav['uri']!,
        mustExchange: true,
        mustUseMfa: false,
      },
      'ocm-multi',
      STRICT,
    )!;
    expect(JSON.parse(request.body.reveal())).toEqual({ ...recorded, protocol: { name: 'multi', webdav } });
  });

  it('names an account of OpenCloud as in the recorded offers that it accepted', () => {
    const offers = compared('opencloud-as-receiver', '/ocm/shares');
    const named = (wanted: number): string =>
      (
        JSON.parse(offers.find(([, { status }]) => status === wanted)![1].request_body!) as {
          shareWith: string;
        }
      ).shareWith;
    expect(parseCloudId(named(404)).canonical).toBe(parseCloudId(named(200)).canonical);
  });
});
