import {
  startSigningPartner,
  type SigningPartner,
  type SigningScheme,
  type SignOptions,
  type TestGateway,
  type RequestOnWire,
} from '../../libs/testing/src';
import { offerOf, SigningWorld } from './signing-world';

let world: SigningWorld;
let replica: TestGateway;
let partner: SigningPartner;
let stranger: SigningPartner;
beforeAll(async () => {
  world = await SigningWorld.start();
  replica = await world.replica();
});
afterAll(async () => {
  await replica?.stop();
  await world?.stop();
});
beforeEach(async () => {
  [partner, stranger] = await Promise.all([startSigningPartner(), startSigningPartner()]);
  world.refusals();
});
afterEach(() => Promise.all([partner.close(), stranger.close()]));

let count = 0;
const nextId = (): string => String(++count);
const SCHEMES: SigningScheme[] = ['cavage', 'es256', 'ed25519'];
const trapped = ({ body, ...rest }: RequestOnWire): RequestOnWire => ({
  ...rest,
  body: body.replace('plan.txt', 'trap.txt'),
});
const withHeader =
  (name: string, change: (value: string) => string) =>
  (request: RequestOnWire): RequestOnWire => ({
    ...request,
    headers: request.headers.map(([known, value]) => [known, known === name ? change(value) : value]),
  });

describe('a signed offer', () => {
  it.each(SCHEMES)('is accepted, and its sender is verified: %s', async (scheme) => {
    const [first, second] = [nextId(), nextId()];
    expect((await world.offer(partner, first, { scheme })).status).toBe(201);
    expect(await world.received(first)).toEqual({ state: 'pending', verified: true });
    expect((await world.offer(partner, second, { scheme })).status).toBe(201);
    expect(partner.discoveries()).toBe(1);
  });

  it('is accepted once, at any replica', async () => {
    const [id, at] = [nextId(), Date.now()];
    const body = offerOf(id, partner.host);
    const send = (to?: string) => world.post(partner, '/ocm/shares', body, { scheme: 'cavage', at }, to);
    expect((await send()).status).toBe(201);
    expect((await send(replica.url)).status).toBe(401);
    expect((await send()).status).toBe(401);
  });

  const hour = 3_600_000;
  const wrong: [string, string, () => SignOptions][] = [
    ['with another body of the same length', 'digest-wrong', () => ({ scheme: 'es256', tamper: trapped })],
    ['of an hour ago', 'out-of-date', () => ({ scheme: 'cavage', at: Date.now() - hour })],
    [
      'with a signature of another message',
      'signature-wrong',
      () => ({ scheme: 'ed25519', tamper: withHeader('signature', () => `ocm=:${'A'.repeat(86)}==:`) }),
    ],
    [
      'under the id of a key that there is not',
      'key-unknown',
      () => ({ scheme: 'es256', key: { ...partner.keyOf('es256'), keyId: `${partner.url}/ocm#none` } }),
    ],
    [
      'with a key of somebody else under an id of its own',
      'signature-wrong',
      () => ({
        scheme: 'cavage',
        key: { ...stranger.keyOf('cavage'), keyId: partner.keyOf('cavage').keyId },
      }),
    ],
  ];
  it.each(wrong)(
    '%s is refused as %s, changes nothing and is logged once',
    async (_what, reason, options) => {
      const id = nextId();
      const answer = await world.offer(partner, id, options());
      expect(answer.status).toBe(401);
      expect(JSON.parse(answer.text)).toEqual({ message: 'The signature was not accepted' });
      expect(await world.received(id)).toBeUndefined();
      expect(world.refusals()).toMatchObject([{ reason, partner: partner.host }]);
    },
  );

  it('from another partner than its owner is refused, and only its owner’s server is asked for a key', async () => {
    const id = nextId();
    expect((await world.offer(stranger, id, { scheme: 'es256' }, partner.host)).status).toBe(401);
    expect(world.refusals()).toMatchObject([
      { reason: 'wrong-signer', partner: partner.host, keyId: stranger.keyOf('es256').keyId },
    ]);
    expect(await world.received(id)).toBeUndefined();
    expect(stranger.requests).toEqual([]);
  });

  it('an offer for an unknown recipient causes no request for a key', async () => {
    const body = { ...offerOf(nextId(), partner.host), shareWith: 'nobody@gateway.example' };
    expect((await world.post(partner, '/ocm/shares', body, { scheme: 'es256' })).status).toBe(400);
    expect(partner.requests).toEqual([]);
  });
});

describe('the keys of a partner', () => {
  it.each(SCHEMES)('change under the same id: %s', async (scheme) => {
    expect((await world.offer(partner, nextId(), { scheme })).status).toBe(201);
    await partner.rotate(scheme, 'same-id');
    await world.letPass(2);
    expect((await world.offer(partner, nextId(), { scheme })).status).toBe(201);
    expect(partner.discoveries()).toBe(2);
  });

  it('change under a new id', async () => {
    expect((await world.offer(partner, nextId(), { scheme: 'es256' })).status).toBe(201);
    await partner.rotate('es256', 'new-id');
    await world.letPass(2);
    expect((await world.offer(partner, nextId(), { scheme: 'es256' })).status).toBe(201);
  });

  it('are read once a minute, even with many wrong signatures', async () => {
    expect((await world.offer(partner, nextId(), { scheme: 'es256' })).status).toBe(201);
    const key = { ...stranger.keyOf('es256'), keyId: partner.keyOf('es256').keyId };
    for (const _ of 'xxxx') {
      expect((await world.offer(partner, nextId(), { scheme: 'es256', key })).status).toBe(401);
    }
    expect(partner.discoveries()).toBe(1);
  });

  it('that end are accepted for at most an hour', async () => {
    expect((await world.offer(partner, nextId(), { scheme: 'es256' })).status).toBe(201);
    const key = partner.keyOf('es256');
    await partner.rotate('es256', 'new-id');
    await world.letPass(61);
    expect((await world.offer(partner, nextId(), { scheme: 'es256', key })).status).toBe(401);
    expect(world.refusals()).toMatchObject([{ reason: 'key-unknown' }]);
  });

  it('cannot be read while its server is down: the offer has to be repeated, and is then accepted', async () => {
    partner.state.isDown = true;
    const id = nextId();
    const refused = await world.offer(partner, id, { scheme: 'cavage' });
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '120']);
    expect(world.refusals()).toMatchObject([{ reason: 'key-unavailable', partner: partner.host }]);
    expect(await world.received(id)).toBeUndefined();
    partner.state.isDown = false;
    await world.letPass(2);
    expect((await world.offer(partner, id, { scheme: 'cavage' })).status).toBe(201);
  });
});
