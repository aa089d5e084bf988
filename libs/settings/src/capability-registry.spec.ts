import { ChangeFeed, SettingRepository } from '#persistence';
import { createTestDatabase, type TestDatabase } from '../../testing/src/rigs/test-database';
import { CachedPolicy } from './cached-policy';
import { CapabilityRegistry, EntryRefused, RESERVED_CAPABILITIES } from './capability-registry';

let test: TestDatabase;
let policy: CachedPolicy;
let registry: CapabilityRegistry;

beforeAll(async () => {
  test = await createTestDatabase();
  const repository = new SettingRepository(test.database);
  policy = new CachedPolicy(repository, new ChangeFeed(test.url), { COMPATIBILITY: 'documented' });
  registry = new CapabilityRegistry(repository, policy);
});
afterAll(() => test.drop());
beforeEach(async () => {
  for (const app of (await registry.list()).keys()) await registry.remove(app);
});

const NOTES = { notes: { api_version: ['0.2'], version: '3.6', 'notes-path': 'Notes' } };

/** `{a: {a: … 1}}`, with this number of braces. */
function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
}

describe('the registry of capabilities', () => {
  it('keeps an entry unchanged, until it is replaced or removed', async () => {
    await registry.set('notes', NOTES);
    expect(await registry.get('notes')).toEqual(NOTES);
    await registry.set('notes', { notes: 1 });
    expect(await registry.get('notes')).toEqual({ notes: 1 });
    await registry.remove('notes');
    await expect(registry.get('notes')).rejects.toMatchObject({ reason: 'unknown' });
    await expect(registry.remove('notes')).rejects.toMatchObject({ reason: 'unknown' });
  });

  it('lists its entries by name, not in the order of registration', async () => {
    for (const app of ['zebra', 'Apple', 'mango', '_x']) await registry.set(app, {});
    expect([...(await registry.list()).keys()]).toEqual(['Apple', '_x', 'mango', 'zebra']);
    expect([...(await policy.capabilityEntries()).keys()]).toEqual(['Apple', '_x', 'mango', 'zebra']);
  });

  it('takes effect in its own process at once', async () => {
    expect((await policy.capabilityEntries()).size).toBe(0);
    await registry.set('notes', NOTES);
    expect((await policy.capabilityEntries()).get('notes')).toEqual(NOTES);
    await registry.remove('notes');
    expect((await policy.capabilityEntries()).size).toBe(0);
  });

  it.each<[string, string, unknown]>([
    ['invalid', '', {}],
    ['invalid', '1app', {}],
    ['invalid', 'a b', {}],
    ['invalid', '__proto__', {}],
    ['invalid', 'x'.repeat(65), {}],
    ['invalid', 'app', undefined],
    ['invalid', 'app', null],
    ['invalid', 'app', 'text'],
    ['invalid', 'app', [{}]],
    ['invalid', 'app', { 'not a name': 1 }],
    ['invalid', 'app', { a: [{ '<b>': 1 }] }],
    ['invalid', 'app', JSON.parse('{"a":{"__proto__":{"polluted":1}}}')],
    ['invalid', 'app', { a: 'nul \0' }],
    ['invalid', 'app', { a: ['half \ud800'] }],
    ['invalid', 'app', nested(9)],
    ['invalid', 'app', nested(100_000)],
    ['invalid', 'app', { a: 'x'.repeat(65_536) }],
    ['reserved', 'app', { mine: 1, files_sharing: {} }],
  ])('refuses as %s: %j', async (reason, app, entry) => {
    await expect(registry.set(app, entry)).rejects.toThrow(EntryRefused);
    await expect(registry.set(app, entry)).rejects.toMatchObject({ reason });
    expect((await registry.list()).size).toBe(0);
  });

  it.each(RESERVED_CAPABILITIES)('keeps the key %s for this product', async (key) => {
    await expect(registry.set('app', { [key]: {} })).rejects.toMatchObject({ reason: 'reserved' });
  });

  it.each([
    ['the deepest', nested(8)],
    ['the largest', { a: 'x'.repeat(65_536 - '{"a":""}'.length) }],
    [
      'one of every kind of value',
      { a: null, b: [1, 2.5, true, 'text', [], {}], 'x.y-z': { core: 'not at the top' } },
    ],
  ])('accepts %s entry', async (_, entry) => {
    await registry.set('app', entry);
    expect(await registry.get('app')).toEqual(entry);
  });
});
