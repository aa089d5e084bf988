import { cutChangeFeeds, withChangeFeedsDown } from '../../testing/src/rigs/change-feeds';
import { createTestDatabase, type TestDatabase } from '../../testing/src/rigs/test-database';
import { eventually } from '../../testing/src/waiting';
import { ChangeFeed } from './change-feed';
import { FreshCache } from './fresh-cache';

let test: TestDatabase;
let feeds: ChangeFeed[];

beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

beforeEach(() => {
  feeds = [];
});
afterEach(async () => {
  for (const feed of feeds) await feed.stop();
  await test.empty('user_account', 'setting', 'capability_entry');
});

async function startFeed(): Promise<{ feed: ChangeFeed; heard: string[] }> {
  const feed = new ChangeFeed(test.url);
  const heard: string[] = [];
  feed.onChange((topic, key) => heard.push(`${topic}:${key}`));
  feeds.push(feed);
  await feed.start();
  return { feed, heard };
}

const run = (sql: string): Promise<unknown> => test.database.dataSource.query(sql);
const addAccount = (uid: string): Promise<unknown> =>
  run(`INSERT INTO user_account (uid, display_name, password_hash) VALUES ('${uid}', '${uid}', '')`);

/** Runs `sql`, and then a statement with a known announcement. When that one arrives, earlier announcements would have arrived, too. */
async function announcedBy(heard: string[], sql: string): Promise<string[]> {
  heard.length = 0;
  await run(sql);
  await run("NOTIFY drawbridge_changes, 'setting:end'");
  await eventually('the last announcement', () => heard.includes('setting:end'));
  return heard.filter((change) => change !== 'setting:end');
}

describe('a change feed', () => {
  it('reports changes of every table whose rows are cached in memory', async () => {
    const { heard } = await startFeed();
    const by = (sql: string): Promise<string[]> => announcedBy(heard, sql);
    const insert = "INSERT INTO user_account (uid, display_name, password_hash) VALUES ('Alice', 'a', '')";
    expect(await by(insert)).toEqual(['account:Alice']);
    expect(await by("UPDATE user_account SET enabled = false WHERE uid = 'Alice'")).toEqual([
      'account:Alice',
    ]);
    expect(await by("UPDATE user_account SET password_hash = 'x' WHERE uid = 'Alice'")).toEqual([
      'account:Alice',
    ]);
    expect(await by("UPDATE user_account SET last_login_at = now() WHERE uid = 'Alice'")).toEqual([]);
    expect(await by("INSERT INTO user_group (gid) VALUES ('spec')")).toEqual(['group:spec']);
    expect(await by("INSERT INTO group_member VALUES ('spec', 'Alice')")).toEqual(['account:Alice']);
    expect(await by("INSERT INTO group_subadmin VALUES ('spec', 'Alice')")).toEqual(['account:Alice']);
    expect(await by("INSERT INTO user_preference VALUES ('Alice', 'core', 'lang', 'de')")).toEqual([
      'account:Alice',
    ]);
    expect((await by("DELETE FROM user_group WHERE gid = 'spec'")).sort()).toEqual([
      'account:Alice',
      'group:spec',
    ]);
    expect(await by("INSERT INTO setting VALUES ('core', 'k', 'v')")).toEqual(['setting:core']);
    expect(await by("UPDATE setting SET value = 'w'")).toEqual(['setting:core']);
    expect(await by("INSERT INTO capability_entry VALUES ('notes', '{}')")).toEqual(['capability:notes']);
    expect(await by('DELETE FROM capability_entry')).toEqual(['capability:notes']);
    expect([...new Set(await by("DELETE FROM user_account WHERE uid = 'Alice'"))]).toEqual(['account:Alice']);
  });

  it('does not report changes that were rolled back', async () => {
    const { heard } = await startFeed();
    expect(
      await announcedBy(heard, "BEGIN; INSERT INTO setting VALUES ('core', 'k', 'v'); ROLLBACK"),
    ).toEqual([]);
  });

  it('reaches every process', async () => {
    const [one, two] = [await startFeed(), await startFeed()];
    await addAccount('bob');
    await eventually(
      'both hear',
      () => one.heard.includes('account:bob') && two.heard.includes('account:bob'),
    );
  });

  it('notifies its own process without a round trip through the database', async () => {
    const { feed, heard } = await startFeed();
    feed.announceLocally('account', 'carol');
    expect(heard).toEqual(['account:carol']);
  });
});

describe('a change feed whose connection is cut', () => {
  it('is not live until it is connected again, and reports that changes may have been missed', async () => {
    const { feed, heard } = await startFeed();
    let gaps = 0;
    feed.onGap(() => gaps++);
    await withChangeFeedsDown(test.url, async () => {
      await eventually('the cut is noticed', () => !feed.isLive);
      await addAccount('dave');
      expect(gaps).toBe(0);
    });
    await eventually('it is back', () => feed.isLive);
    expect(gaps).toBe(1);
    expect(heard).toEqual([]);
    await addAccount('erin');
    await eventually('it hears again', () => heard.includes('account:erin'));
  });

  it('prevents caches from using entries older than a second, and lets them drop changed ones', async () => {
    const { feed } = await startFeed();
    let clock = 0;
    const cache = new FreshCache<{ uid: string }>(feed, { max: 10, topic: 'account', now: () => clock });
    await cache.read('frank', async () => ({ uid: 'before' }));
    clock = 60_000;
    expect(cache.get('frank')).toEqual({ uid: 'before' });
    await withChangeFeedsDown(test.url, async () => {
      await eventually('the cut is noticed', () => !feed.isLive);
      expect(cache.get('frank')).toBeUndefined();
      await cache.read('frank', async () => ({ uid: 'while it was down' }));
      expect(cache.get('frank')).toEqual({ uid: 'while it was down' });
    });
    await eventually('it is back', () => feed.isLive);
    expect(cache.get('frank')).toBeUndefined();
  });

  it('reconnects each time', async () => {
    const { feed } = await startFeed();
    let gaps = 0;
    feed.onGap(() => gaps++);
    for (const round of [1, 2, 3]) {
      expect(await cutChangeFeeds(test.url)).toBe(1);
      await eventually('it is back', () => gaps === round && feed.isLive);
    }
  });

  it('does not connect again after it was stopped', async () => {
    const { feed } = await startFeed();
    await feed.stop();
    expect(feed.isLive).toBe(false);
    await eventually('its connection is gone', async () => (await cutChangeFeeds(test.url)) === 0);
  });
});

describe('a change feed without a database', () => {
  it('fails to start', async () => {
    const feed = new ChangeFeed('postgres://nobody@127.0.0.1:1/none');
    await expect(feed.start()).rejects.toThrow();
    expect(feed.isLive).toBe(false);
    await feed.stop();
  });
});
