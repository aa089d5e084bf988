import { ChangeFeed, SettingRepository } from '#persistence';
import { createTestDatabase, type TestDatabase } from '../../testing/src/rigs/test-database';
import { eventually } from '../../testing/src/waiting';
import { CachedPolicy } from './cached-policy';
import { RuntimeSettings, SettingRefused } from './runtime-settings';

interface Replica {
  readonly feed: ChangeFeed;
  readonly policy: CachedPolicy;
  readonly settings: RuntimeSettings;
}

let test: TestDatabase;
let here: Replica;
let there: Replica;

async function startReplica(): Promise<Replica> {
  const feed = new ChangeFeed(test.url);
  const repository = new SettingRepository(test.database);
  const policy = new CachedPolicy(repository, feed, { COMPATIBILITY: 'documented' });
  await feed.start();
  return { feed, policy, settings: new RuntimeSettings(repository, policy) };
}

beforeAll(async () => {
  test = await createTestDatabase();
  [here, there] = [await startReplica(), await startReplica()];
});
afterAll(async () => {
  await here.feed.stop();
  await there.feed.stop();
  await test.drop();
});

describe('settings', () => {
  it('have their defaults until they are set, and again once they are unset', async () => {
    expect(await here.settings.get('core', 'shareapi_allow_resharing')).toBe('yes');
    await here.settings.set('core', 'shareapi_allow_resharing', 'FALSE');
    expect(await here.settings.get('core', 'shareapi_allow_resharing')).toBe('no');
    await here.settings.unset('core', 'shareapi_allow_resharing');
    expect(await here.settings.get('core', 'shareapi_allow_resharing')).toBe('yes');
    await here.settings.unset('core', 'shareapi_allow_resharing');
  });

  it('are listed with their effective values', async () => {
    await here.settings.set('system', 'share_folder', 'Shares/');
    const listed = await here.settings.list();
    expect(listed).toContainEqual({
      ...{ app: 'system', key: 'share_folder', value: '/Shares' },
      ...{ isDefault: false, fallback: '/' },
    });
    expect(listed).toContainEqual({
      app: 'core',
      key: 'shareapi_enabled',
      value: 'yes',
      isDefault: true,
      fallback: 'yes',
    });
    await here.settings.unset('system', 'share_folder');
  });

  it.each([
    ['unknown', () => here.settings.get('core', 'nonsense')],
    ['unknown', () => here.settings.set('nonsense', 'shareapi_enabled', 'yes')],
    ['unknown', () => here.settings.unset('core', '')],
    ['value', () => here.settings.set('core', 'shareapi_enabled', 'maybe')],
    ['value', () => here.settings.set('core', 'shareapi_expire_after_n_days', '-1')],
  ])('are refused: %s', async (reason, work) => {
    await expect(work()).rejects.toThrow(SettingRefused);
    await expect(work()).rejects.toMatchObject({ reason });
    expect((await here.settings.list()).every(({ isDefault }) => isDefault)).toBe(true);
  });

  it('are refused with the values that are allowed', async () => {
    await expect(here.settings.set('core', 'shareapi_enabled', 'maybe')).rejects.toThrow(
      "core/shareapi_enabled cannot be 'maybe' (allowed: `yes` or `no`)",
    );
  });
});

describe('the cached policy', () => {
  it('is the same object until a setting changes', async () => {
    const before = await here.policy.current();
    expect(await here.policy.current()).toBe(before);
    expect(here.policy.peek()).toBe(before);
    await here.settings.set('core', 'shareapi_enabled', 'no');
    const after = await here.policy.current();
    expect([before.apiEnabled, after.apiEnabled]).toEqual([true, false]);
    await here.settings.unset('core', 'shareapi_enabled');
  });

  it('of another process follows', async () => {
    const maintenance = async (): Promise<boolean> => (await there.policy.current()).maintenance;
    expect(await maintenance()).toBe(false);
    await here.settings.set('system', 'maintenance', 'yes');
    await eventually('the other process hears of it', maintenance);
    await here.settings.unset('system', 'maintenance');
    await eventually('the other process hears of it', async () => !(await maintenance()));
  });
});
