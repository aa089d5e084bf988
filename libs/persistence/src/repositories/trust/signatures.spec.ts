import { createTestDatabase, type TestDatabase } from '../../../../testing/src/rigs/test-database';
import { SeenSignatureRepository } from './seen-signature.repository';
import { SigningKeyRepository, type SealedSigningKey } from './signing-key.repository';

let test: TestDatabase;
let keys: SigningKeyRepository;
let seen: SeenSignatureRepository;

beforeAll(async () => {
  test = await createTestDatabase();
  keys = new SigningKeyRepository(test.database);
  seen = new SeenSignatureRepository(test.database);
});
afterAll(() => test.drop());

const HOUR_MS = 3_600_000;
const inHours = (hours: number): Date => new Date(Date.now() + hours * HOUR_MS);

describe('signed messages that were taken', () => {
  const hash = (byte: number): Buffer => Buffer.alloc(32, byte);

  it('are accepted once, by any replica', async () => {
    const replica = new SeenSignatureRepository(test.database);
    expect(await seen.remember(hash(1), inHours(1))).toBe(true);
    expect(await replica.remember(hash(1), inHours(1))).toBe(false);
    expect(await replica.remember(hash(2), inHours(1))).toBe(true);
  });

  it('are accepted once if many arrive together', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => seen.remember(hash(3), inHours(1))));
    expect(answers.filter(Boolean)).toHaveLength(1);
  });

  it('are forgotten a while after their time, some at a time', async () => {
    await test.database.dataSource.query('TRUNCATE seen_signature');
    for (const [byte, hours] of [
      [4, -2],
      [5, -2],
      [6, -0.05],
      [7, 1],
    ] as const)
      await seen.remember(hash(byte), inHours(hours));
    expect([await seen.forget(1), await seen.forget(10), await seen.forget(10)]).toEqual([1, 1, 0]);
    expect(await seen.remember(hash(4), inHours(1))).toBe(true);
    expect(await seen.remember(hash(6), inHours(1))).toBe(false);
  });
});

describe('our own keys', () => {
  const key = (id: string, more: Partial<SealedSigningKey> = {}): SealedSigningKey => ({
    id,
    algorithm: 'ecdsa-p256-sha256',
    sealedPrivateKey: Buffer.from(`sealed ${id}`),
    publicJwk: { kty: 'EC', crv: 'P-256', x: id },
    notBefore: inHours(-1),
    ...more,
  });
  const ids = async () => (await keys.list()).map(({ id }) => id).sort();

  beforeEach(() => test.database.dataSource.query('TRUNCATE signing_key'));

  it('come back as they were stored', async () => {
    const first = key('a', { notBefore: new Date('2026-11-21T12:00:00Z') });
    await keys.addFirst(first);
    expect(await keys.list()).toEqual([{ ...first, retiredAt: null }]);
  });

  it('own keys: processes that start together make one key for each algorithm', async () => {
    const added = await Promise.all(['a', 'b', 'c'].map((id) => keys.addFirst(key(id))));
    expect(added.filter(Boolean)).toHaveLength(1);
    expect(await keys.addFirst(key('rsa', { algorithm: 'rsa-sha512' }))).toBe(true);
    expect(await ids()).toHaveLength(2);
  });

  it('are replaced by others, and are removed when they are due', async () => {
    await keys.addFirst(key('old'));
    await keys.addFirst(key('rsa', { algorithm: 'rsa-sha512' }));
    const retireAt = inHours(26);
    expect(await keys.replace(key('new', { notBefore: inHours(2) }), 'old', retireAt)).toBe(true);
    const times = new Map((await keys.list()).map(({ id, retiredAt }) => [id, retiredAt]));
    expect(times).toEqual(
      new Map([
        ['old', retireAt],
        ['new', null],
        ['rsa', null],
      ]),
    );
    expect(await keys.replace(key('newer'), 'new', inHours(-0.001))).toBe(true);
    expect(await ids()).toEqual(['newer', 'rsa']);
  });

  it('do not live longer because of the next rotation', async () => {
    await keys.addFirst(key('a'));
    await keys.replace(key('b'), 'a', inHours(1));
    const before = (await keys.list()).find(({ id }) => id === 'a')?.retiredAt;
    await keys.replace(key('c'), 'b', inHours(5));
    expect((await keys.list()).find(({ id }) => id === 'a')?.retiredAt).toEqual(before);
  });

  it('are replaced by one of several simultaneous calls', async () => {
    await keys.addFirst(key('old'));
    const replaced = await Promise.all(['a', 'b', 'c'].map((id) => keys.replace(key(id), 'old', inHours(1))));
    expect(replaced.filter(Boolean)).toHaveLength(1);
    expect(await ids()).toHaveLength(2);
  });

  it('are replaced only by a caller who knew the current one', async () => {
    await keys.addFirst(key('old'));
    expect(await keys.replace(key('a'), 'old', inHours(5))).toBe(true);
    const before = await keys.list();
    for (const end of [9, 1]) expect(await keys.replace(key('b'), 'old', inHours(end))).toBe(false);
    expect(await keys.list()).toEqual(before);
  });

  it('are deleted some days after they were retired', async () => {
    await keys.addFirst(key('old'));
    await keys.replace(key('recent'), 'old', inHours(-24 * 31));
    await keys.replace(key('current'), 'recent', inHours(-24 * 29));
    await keys.forgetRetired(30);
    const left = await test.database.dataSource.query<{ id: string }[]>(
      'SELECT id FROM signing_key ORDER BY id',
    );
    expect(left.map(({ id }) => id)).toEqual(['current', 'recent']);
  });

  it('are announced to all processes with a copy in memory', async () => {
    const triggers = await test.database.dataSource.query<{ tgargs: Buffer }[]>(
      `SELECT tgargs FROM pg_trigger WHERE tgrelid = 'signing_key'::regclass AND NOT tgisinternal`,
    );
    expect(triggers.map(({ tgargs }) => tgargs.toString())).toContain('signing-key\0algorithm\0');
  });
});
