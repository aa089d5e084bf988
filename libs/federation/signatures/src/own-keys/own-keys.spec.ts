import { createPublicKey } from 'node:crypto';
import type { SigningAlgorithm } from '#federation/protocol';
import { ChangeFeed, SigningKeyRepository } from '#persistence';
import { PublicAddress, SecretBox } from '#platform';
import { createTestDatabase, eventually, type TestDatabase } from '#testing';
import { countStatements } from '../../../../testing/src/rigs/statement-count';
import { openSigningKey } from '../signing-key';
import { OwnKeys } from './own-keys';
import { rotateSigningKey } from './rotate-signing-key';

const HOUR_MS = 3_600_000;
const URL = 'https://share.example.org';

let test: TestDatabase;
let store: SigningKeyRepository;
const feeds: ChangeFeed[] = [];
const secrets = new SecretBox(() => Buffer.alloc(32, 3));

beforeAll(async () => {
  test = await createTestDatabase();
  store = new SigningKeyRepository(test.database);
});
beforeEach(() => test.database.dataSource.query('TRUNCATE signing_key'));
afterEach(async () => {
  for (const feed of feeds.splice(0)) await feed.stop();
});
afterAll(() => test.drop());

/** The keys of one process. */
async function replica(now?: () => number): Promise<OwnKeys> {
  const feed = new ChangeFeed(test.url);
  feeds.push(feed);
  await feed.start();
  const address = new PublicAddress({ PUBLIC_URL: URL, HOST: '127.0.0.1', PORT: 80 });
  return new OwnKeys(store, feed, secrets, address, now);
}

const rotate = (algorithm: SigningAlgorithm, why: 'planned' | 'leaked' = 'planned') =>
  rotateSigningKey({ store, secrets }, algorithm, why);
const idsOf = async (keys: OwnKeys, algorithm: SigningAlgorithm): Promise<string[]> =>
  (await keys.inUse()).published.filter((key) => key.algorithm === algorithm).map(({ id }) => id);
const nameOf = (id: string): string => `${URL}/ocm#${id}`;

it('are made once, even if several processes start at the same time', async () => {
  const replicas = await Promise.all([replica(), replica(), replica(), replica()]);
  await Promise.all(replicas.map((keys) => keys.onApplicationBootstrap()));
  const rows = await store.list();
  expect(rows.map(({ algorithm }) => algorithm)).toEqual(['ecdsa-p256-sha256', 'rsa-sha512']);
  for (const [scheme, at] of [
    ['rfc9421', 0],
    ['cavage', 1],
  ] as const) {
    const signing = await Promise.all(replicas.map((keys) => keys.signing(scheme)));
    expect(new Set(signing.map(({ keyId }) => keyId))).toEqual(new Set([nameOf(rows[at]!.id)]));
    const shown = createPublicKey(signing[0]!.key).export({ format: 'jwk' });
    expect(shown).toEqual(rows[at]!.publicJwk);
  }
});

it('are stored encrypted', async () => {
  await (await replica()).onApplicationBootstrap();
  for (const { id, algorithm, sealedPrivateKey } of await store.list()) {
    expect(sealedPrivateKey.toString('latin1')).not.toContain('PRIVATE KEY');
    expect(() => new SecretBox(() => Buffer.alloc(32, 4)).open(sealedPrivateKey)).toThrow();
    const reveal = (): string => secrets.open(sealedPrivateKey);
    expect(openSigningKey({ id, algorithm, privateKey: { reveal } as never }, URL).keyId).toBe(nameOf(id));
  }
});

it('need no query once they are in memory', async () => {
  const keys = await replica();
  await keys.onApplicationBootstrap();
  const use = async (): Promise<void> => {
    await Promise.all([keys.signing('cavage'), keys.signing('rfc9421'), keys.inUse()]);
  };
  // The announcement of the new keys arrives a little later.
  await eventually('nothing to be read', async () => (await countStatements(test.database, use)) === 0);
});

it('are replaced by the next ones in all processes, each at its time', async () => {
  let later = 0;
  const keys = await replica(() => Date.now() + later);
  await keys.onApplicationBootstrap();
  const [oldRsa, oldEs256] = [await keys.signing('cavage'), await keys.signing('rfc9421')];
  const [rsa, es256] = [await rotate('rsa-sha512'), await rotate('ecdsa-p256-sha256')];

  await eventually(
    'the change to be heard',
    async () => (await idsOf(keys, 'ecdsa-p256-sha256')).length === 2,
  );
  expect((await keys.signing('cavage')).keyId).toBe(nameOf(rsa!.id));
  expect((await keys.signing('rfc9421')).keyId).toBe(oldEs256.keyId);
  later = 3 * HOUR_MS;
  expect((await keys.signing('rfc9421')).keyId).toBe(nameOf(es256!.id));
  expect(await idsOf(keys, 'ecdsa-p256-sha256')).toHaveLength(2);
  later = 27 * HOUR_MS;
  expect(await idsOf(keys, 'ecdsa-p256-sha256')).toEqual([es256!.id]);
  expect(await idsOf(keys, 'rsa-sha512')).toEqual([rsa!.id]);
  expect(oldRsa.keyId).not.toBe(nameOf(rsa!.id));
});

it('that leaked are removed at once', async () => {
  const keys = await replica();
  await keys.onApplicationBootstrap();
  const fresh = await rotate('ecdsa-p256-sha256', 'leaked');
  await eventually(
    'the change to be heard',
    async () => (await keys.signing('rfc9421')).keyId === nameOf(fresh!.id),
  );
  expect(await idsOf(keys, 'ecdsa-p256-sha256')).toEqual([fresh!.id]);
});

it('may be rotated before an instance has any', async () => {
  const first = await rotate('rsa-sha512');
  const keys = await replica();
  expect((await keys.signing('cavage')).keyId).toBe(nameOf(first!.id));
});
