import { createPrivateKey, type JsonWebKey } from 'node:crypto';
import type { SigningAlgorithm } from '#federation/protocol';
import { OwnKeys, rotateSigningKey } from '#federation/signatures';
import { Database, SigningKeyRepository } from '#persistence';
import { SecretBox } from '#platform';
import { eventually } from '../../libs/testing/src';
import { hostOf, OutgoingWorld, recordOf } from './outgoing-world';
import { StrictPartner } from './strict-partner';

let world: OutgoingWorld;
const partners: StrictPartner[] = [];
beforeAll(async () => {
  world = await OutgoingWorld.start();
});
afterAll(async () => {
  await world.stop();
  await Promise.all(partners.map((partner) => partner.close()));
});

async function strictPartner(...capabilities: string[]): Promise<StrictPartner> {
  const partner = await StrictPartner.start(capabilities);
  partners.push(partner);
  return partner;
}

const nest = () => world.sharing.gateway.instance.app.nest;
const database = (): Database => nest().get(Database, { strict: false });
const ownKeys = (): OwnKeys => nest().get(OwnKeys, { strict: false });

/** Shares a file and waits until the partner took it. @returns the id of the share */
async function share(name: string, partner: StrictPartner): Promise<unknown> {
  const before = partner.messages.length;
  const envelope = await world.offer(name, `bea@${hostOf(partner)}`);
  expect(envelope).toMatchObject({ code: 100 });
  expect(partner.messages).toHaveLength(before + 1);
  return recordOf(envelope).id;
}

/** The same as the command; every process learns of it. */
async function rotate(algorithm: SigningAlgorithm): Promise<string> {
  const secrets = nest().get(SecretBox, { strict: false });
  const parts = { store: new SigningKeyRepository(database()), secrets };
  const key = (await rotateSigningKey(parts, algorithm, 'planned'))!;
  const known = async (): Promise<boolean> =>
    (await ownKeys().inUse()).published.some(({ id }) => id === key.id);
  await eventually('the new key to be known', known);
  return key.id;
}

const SCHEMES = [
  ['cavage', []],
  ['rfc9421', ['http-sig']],
] as const;

it.each(SCHEMES)('a strict partner accepts our signed messages: %s', async (scheme, words) => {
  const partner = await strictPartner(...words);
  const id = await share(`${scheme}.txt`, partner);
  await world.ask('DELETE', `/${String(id)}`);
  await eventually('the end of the share', () => partner.messages.length === 2);
  const [offer, end] = partner.messages;
  expect([offer!.request.path, end!.request.path]).toEqual(['/ocm/shares', '/ocm/notifications']);
  const { url } = world.sharing.gateway;
  for (const { found } of partner.messages) {
    expect(found).toEqual({ scheme, keyId: expect.any(String), fault: null });
    expect(found.keyId.startsWith(`${url}/ocm#`)).toBe(true);
  }
});

it('the public keys for signatures are published, and no private part', async () => {
  const { url } = world.sharing.gateway;
  const discovery = (await (await fetch(`${url}/.well-known/ocm`)).json()) as Record<string, unknown>;
  expect(discovery).toMatchObject({
    capabilities: expect.arrayContaining(['http-sig']),
    jwksUri: `${url}/.well-known/jwks.json`,
    publicKey: { keyId: expect.stringMatching(`^${url}/ocm#`), publicKeyPem: expect.any(String) },
  });
  const reply = await fetch(`${url}/.well-known/jwks.json`);
  expect([reply.status, reply.headers.get('content-type'), reply.headers.get('cache-control')]).toEqual([
    200,
    'application/json; charset=utf-8',
    'public, max-age=300',
  ]);
  const { keys } = (await reply.json()) as { keys: JsonWebKey[] };
  expect(keys[0]).toEqual({
    kty: 'EC',
    crv: 'P-256',
    x: expect.any(String),
    y: expect.any(String),
    kid: expect.stringMatching(`^${url}/ocm#`),
    alg: 'ES256',
    use: 'sig',
  });
  expect(() => createPrivateKey({ key: keys[0]!, format: 'jwk' })).toThrow();
});

it('a new RSA key signs at once, and old signatures stay valid for partners with the old key', async () => {
  const partner = await strictPartner();
  await share('before the new RSA key.txt', partner);
  const id = await rotate('rsa-sha512');
  await share('after the new RSA key.txt', partner);
  const [before, after] = partner.messages;
  expect(after!.found.keyId.endsWith(`#${id}`)).toBe(true);
  expect(before!.found.keyId).not.toBe(after!.found.keyId);
  for (const message of [before!, after!]) expect((await partner.again(message)).fault).toBeNull();
});

it('a new ES256 key is published before it signs, and the old one until its messages have arrived', async () => {
  const partner = await strictPartner('http-sig');
  await share('before the new ES256 key.txt', partner);
  const id = await rotate('ecdsa-p256-sha256');
  await share('while it waits.txt', partner);
  // Three hours pass.
  await database().dataSource.query(`UPDATE signing_key SET not_before = not_before - interval '3 hours'`);
  const signs = async (): Promise<boolean> => (await ownKeys().signing('rfc9421')).keyId.endsWith(`#${id}`);
  await eventually('the new key to sign', signs);
  await share('after it.txt', partner);
  const names = partner.messages.map(({ found }) => found.keyId);
  expect(names[1]).toBe(names[0]);
  expect(names[2]!.endsWith(`#${id}`)).toBe(true);
  for (const message of partner.messages) {
    expect(message.found.fault).toBeNull();
    expect((await partner.again(message, true)).fault).toBeNull();
  }
});
