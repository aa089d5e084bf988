import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import { CompactSign, FlattenedSign, GeneralSign } from 'jose';
import { reply, startFakeServer, type FakeServer } from '../../../../testing/src';
import { GuardedClient } from '../egress/guarded-client';
import { readDirectoryKey } from '#federation/signatures';
import { DirectoryServices, type AskedDirectory } from './directory-services';

const LISTING = { federation: 'Example', servers: [{ url: 'https://a.example.org', displayName: 'A' }] };
const pemOf = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }) as string;
const KEYS = {
  EdDSA: generateKeyPairSync('ed25519'),
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
};
const bytes = (payload: unknown): Uint8Array => Buffer.from(JSON.stringify(payload));
const compact = (payload: unknown, alg: keyof typeof KEYS = 'EdDSA'): Promise<string> =>
  new CompactSign(bytes(payload)).setProtectedHeader({ alg }).sign(KEYS[alg].privateKey);

describe('a directory service', () => {
  let server: FakeServer;
  let client: GuardedClient;
  let [status, text] = [200, ''];
  beforeAll(async () => {
    server = await startFakeServer((_request, response) => reply(response, status, text, 'application/jose'));
    client = new GuardedClient({
      rules: { allowHttp: true, allowAddresses: [ipaddr.parseCIDR('127.0.0.0/8')] },
    });
  });
  afterAll(() => Promise.all([client.close(), server.close()]));
  beforeEach(() => ([status, text] = [200, '']));

  const ask = (key: KeyObject = KEYS.EdDSA.publicKey): Promise<AskedDirectory> =>
    new DirectoryServices(client).ask(`${server.url}/servers`, pemOf(key));
  const FOUND = {
    kind: 'listing',
    listing: { federation: 'Example', servers: [{ hostKey: 'a.example.org', name: 'A' }] },
  };

  it.each(['EdDSA', 'ES256', 'RS256'] as const)('is accepted with a valid signature of %s', async (alg) => {
    text = await compact(LISTING, alg);
    expect(await ask(KEYS[alg].publicKey)).toEqual(FOUND);
  });

  it('is read in both JSON forms', async () => {
    const flattened = new FlattenedSign(bytes(LISTING)).setProtectedHeader({ alg: 'EdDSA' });
    text = JSON.stringify(await flattened.sign(KEYS.EdDSA.privateKey));
    expect(await ask()).toEqual(FOUND);
    const general = new GeneralSign(bytes(LISTING));
    general.addSignature(KEYS.ES256.privateKey).setProtectedHeader({ alg: 'ES256' });
    general.addSignature(KEYS.EdDSA.privateKey).setProtectedHeader({ alg: 'EdDSA' });
    text = JSON.stringify(await general.sign());
    expect(await ask()).toEqual(FOUND);
  });

  it('is refused with the signature of another key, or of another algorithm', async () => {
    text = await compact(LISTING, 'ES256');
    const refused = { kind: 'failed', reason: 'its signature is not that of the key' };
    expect(await ask(KEYS.EdDSA.publicKey)).toEqual(refused);
    expect(await ask(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey)).toEqual(refused);
    const [, payload, signature] = (await compact(LISTING)).split('.');
    const none = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url');
    for (const forged of [`${none}.${payload}.`, `${none}.${payload}.${signature}`]) {
      text = forged;
      expect(await ask()).toEqual(refused);
    }
  });

  it.each([
    ['nothing', ''],
    ['a list that nobody signed', JSON.stringify(LISTING)],
    ['no JSON', '{'],
    ['deep JSON', '['.repeat(5000)],
    ['a payload that is no text', JSON.stringify({ payload: LISTING, protected: 'e30', signature: '' })],
  ])('is refused for %s', async (_what, answer) => {
    text = answer;
    expect(await ask()).toMatchObject({ kind: 'failed' });
  });

  it.each([
    ['no name', { servers: [] }],
    ['no servers', { federation: 'F' }],
    ['another form', 'text'],
  ])('gives no servers if it signs a listing with %s', async (_what, payload) => {
    text = await compact(payload);
    expect(await ask()).toEqual({ kind: 'failed', reason: 'what it signed is no list of servers' });
  });

  it('gives no servers if it fails, or has an address that must not be called', async () => {
    status = 500;
    expect(await ask()).toEqual({ kind: 'failed', reason: 'it answered 500' });
    const guarded = new GuardedClient({ rules: { allowHttp: true, allowAddresses: [] } });
    try {
      const seen = server.requests.length;
      const refused = await new DirectoryServices(guarded).ask(server.url, pemOf(KEYS.EdDSA.publicKey));
      expect(refused).toMatchObject({
        kind: 'failed',
        reason: expect.stringContaining('could not be asked'),
      });
      expect(server.requests).toHaveLength(seen);
    } finally {
      await guarded.close();
    }
  });

  it('needs a key that can sign lists', () => {
    const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey;
    const other = generateKeyPairSync('ec', { namedCurve: 'secp384r1' }).publicKey;
    for (const pem of ['', 'text', pemOf(weak), pemOf(other)]) expect(readDirectoryKey(pem)).toBeUndefined();
    expect(readDirectoryKey(pemOf(KEYS.ES256.publicKey))?.algorithm).toBe('ES256');
  });
});
