import { DatabaseTap, type DatabaseTraffic } from '../../libs/testing/src/rigs/database-tap';
import { pastTriggers } from '../../libs/testing/src/rigs/past-triggers';
import { createTestDatabase, type TestDatabase } from '../../libs/testing/src/rigs/test-database';
import { SharingGateway } from './sharing-gateway';

/**
 * These tables are analysed first. Otherwise the planner may take them for empty, if autovacuum ran before they were
 * filled.
 */
const LISTED = 'node, share, share_recipient';

/** Lengths of the lists: a longer list must not need more statements. */
const SIZES = [1, 40];

const MANY_MEMBERS = pastTriggers(`
  WITH account AS (
    INSERT INTO user_account (uid, display_name, password_hash)
    SELECT 'member-' || i, 'Member ' || i, '-' FROM generate_series(1, 10000) AS i RETURNING uid
  )
  INSERT INTO group_member (gid, uid) SELECT 'many', uid FROM account`);

const MANY_SHARES = pastTriggers(`
  WITH made AS (
    INSERT INTO node (storage_id, parent_id, owner_uid, name, path, kind, mimetype, mtime, etag, blob_key)
    SELECT root.storage_id, root.id, 'alice', 'f' || i, '/f' || i, 'file', 'text/plain', now(), 'etag', 'many/' || i
    FROM node root, generate_series(1, 10000) AS i WHERE root.owner_uid = 'alice' AND root.parent_id IS NULL
    RETURNING id, name
  ), shared AS (
    INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, file_target)
    SELECT 0, id, 'alice', 'alice', 'bob', 'bob', 19, '/' || name FROM made RETURNING id, file_target
  )
  INSERT INTO share_recipient (share_id, uid, state, file_target) SELECT id, 'bob', 0, file_target FROM shared`);

describe('the cost of a call in Postgres', () => {
  let own: TestDatabase;
  let tap: DatabaseTap;
  let people: SharingGateway;

  beforeAll(async () => {
    own = await createTestDatabase();
    tap = await DatabaseTap.open(own.url);
    people = await SharingGateway.start({ databaseUrl: tap.url, compatibility: 'owncloud10' });
    await people.addUsers('alice', 'bob', 'carol');
    await people.addGroup('few', 'bob', 'carol');
    await people.addGroup('many', 'bob', 'carol');
  });
  afterAll(async () => {
    await people?.stop();
    await tap?.close();
    await own?.drop();
  });

  /** Runs the work twice before, so that caches are filled and statements are prepared. */
  async function costOf(work: () => Promise<unknown>): Promise<DatabaseTraffic> {
    await work();
    await work();
    return tap.leastDuring(work);
  }

  /** Statements that Postgres had to parse and plan again. */
  const unprepared = ({ statements }: DatabaseTraffic): string[] =>
    [...statements.keys()].filter((name) => !/^\w+\.\w+$/.test(name));

  describe('a list needs the same number of statements at any length', () => {
    const calls: Record<string, (size: number) => Promise<unknown>> = {
      'own shares': (size) => people.list(`owner-${size}`),
      'own shares with tags': (size) => people.list(`owner-${size}`, 'include_tags=true'),
      're-shares of own files': (size) => people.list(`owner-${size}`, 'reshares=true'),
      'a reshared node': (size) => people.list(`middle-${size}`),
      'received shares': (size) => people.received(`middle-${size}`),
      'a folder’s children': (size) => people.list(`owner-${size}`, 'path=/docs&subfiles=true'),
      'shares of one path': (size) => people.list(`owner-${size}`, 'path=/docs'),
      'one share': async (size) => people.shares('GET', `/${firstIds.get(size)}`, `owner-${size}`),
      'one received share': async (size) => people.shares('GET', `/${firstIds.get(size)}`, `middle-${size}`),
      'a folder in the owner’s tree': (size) => people.entries(`owner-${size}`, '/docs'),
      'the mounts in a recipient’s tree': (size) => people.entries(`middle-${size}`),
      capabilities: (size) => people.ocs('GET', '/cloud/capabilities', `owner-${size}`),
    };
    const firstIds = new Map<number, string>();

    beforeAll(async () => {
      for (const size of SIZES) {
        const [owner, middle, last] = [`owner-${size}`, `middle-${size}`, `last-${size}`];
        await people.addUsers(owner, middle, last);
        await people.store(owner, '/docs/');
        for (let index = 0; index < size; index++) {
          const path = `/docs/${index}.txt`;
          await people.store(owner, path);
          const id = await people.shareId(owner, { path, shareWith: middle });
          if (index === 0) firstIds.set(size, id);
          await people.share(owner, { path, shareType: '3' });
          await people.shareId(middle, { path: `/${index}.txt`, shareWith: last });
        }
      }
      await people.query(`ANALYZE ${LISTED}`);
    }, 300_000);

    it.each(Object.keys(calls))('%s', async (name) => {
      const costs = [];
      for (const size of SIZES) costs.push(await costOf(() => calls[name]!(size)));
      const [first, ...others] = costs.map(({ statements }) => Object.fromEntries(statements));
      for (const other of others) expect(other).toEqual(first);
      expect(costs.flatMap(unprepared)).toEqual([]);
      expect([...costs[0]!.statements.values()].every((count) => count === 1)).toBe(true);
    });

    it('and one share of somebody else’s file is read by one statement, and changed without another look for the file', async () => {
      const [reshare] = await people.list('middle-40');
      const below = `/${reshare!.id}`;
      const { statements } = await costOf(() => people.shares('GET', below, 'middle-40'));
      expect([...statements.keys()]).toEqual(['share.find_with_coverage']);
      const changed = await costOf(() => people.shares('PUT', below, 'middle-40', { permissions: '1' }));
      expect(changed.statements.has('share.coverage')).toBe(false);
    });

    it('and contains all entries', async () => {
      expect(await people.list('owner-40')).toHaveLength(80);
      expect(await people.list('owner-40', 'reshares=true')).toHaveLength(120);
      expect(await people.list('middle-40')).toHaveLength(40);
      expect(await people.received('middle-40')).toHaveLength(40);
      expect(await people.entries('middle-40')).toHaveLength(40);
    });
  });

  describe('a group of ten thousand', () => {
    beforeAll(async () => {
      await people.query(MANY_MEMBERS);
      await people.query('ANALYZE user_account, group_member');
      for (const gid of ['few', 'many'])
        for (let time = 1; time <= 6; time++) await people.store('alice', `/for-${gid}-${time}.txt`);
    }, 300_000);

    /** Does the same with the small and with the large group. */
    async function compare(work: (gid: string, time: number) => Promise<unknown>): Promise<void> {
      const costs = [];
      for (const gid of ['few', 'many']) {
        let time = 0;
        costs.push(await costOf(() => work(gid, ++time)));
      }
      const [few, many] = costs;
      expect({ ...many, statements: Object.fromEntries(many!.statements) }).toEqual({
        ...few,
        statements: Object.fromEntries(few!.statements),
      });
    }

    it('gets a share at the cost of a group of two', async () => {
      await compare((gid, time) =>
        people.shareId('alice', { path: `/for-${gid}-${time}.txt`, shareType: '1', shareWith: gid }),
      );
    });

    it('does not make lists slower for members and other users', async () => {
      await compare(async (gid) => {
        await people.store('alice', `/${gid}-${Date.now()}-${Math.random()}.txt`);
        await people.entries('carol');
      });
      await compare(() => people.received('bob'));
      await compare(() => people.list('alice', 'share_types=1'));
    });

    it('creates the place of a new share only for a member who lists their files', async () => {
      const id = await people.shareId('alice', {
        path: '/for-many-6.txt',
        shareType: '1',
        shareWith: 'many',
      });
      await people.entries('bob');
      const rows = await people.query<{ uid: string }>(
        'SELECT uid FROM share_recipient WHERE share_id = $1',
        [id],
      );
      expect(rows.map((row) => row.uid)).toEqual(['bob']);
    });
  });

  describe('ten thousand shares', () => {
    beforeAll(async () => {
      await people.query("DELETE FROM share WHERE owner_uid = 'alice'");
      await people.query(MANY_SHARES);
      await people.query(`ANALYZE ${LISTED}`);
    }, 300_000);

    const idsIn = (records: readonly { id: string }[]): number[] =>
      records.map((record) => Number(record.id));

    it('are read in parts while they are sent', async () => {
      const list = async (): Promise<void> => expect(await people.list('alice')).toHaveLength(10_000);
      await list();
      const traffic = await tap.leastDuring(list);
      expect(traffic.statements.get('share.list_initiated')).toBe(10_000 / 500);
      expect(unprepared(traffic)).toEqual([]);
    }, 300_000);

    it('arrive completely and in order in every list, in XML as in JSON', async () => {
      for (const [uid, query] of [
        ['alice', ''],
        ['alice', 'reshares=true&include_tags=true'],
        ['bob', 'shared_with_me=true'],
      ] as const) {
        const ids = idsIn(await people.list(uid, query));
        expect(ids).toHaveLength(10_000);
        expect(ids.every((id, index) => index === 0 || id > ids[index - 1]!)).toBe(true);
        const address = `${people.gateway.url}/ocs/v1.php/apps/files_sharing/api/v1/shares?${query}`;
        const reply = await fetch(address, { headers: { authorization: people.authorizationOf(uid) } });
        const xml = await reply.text();
        expect([...xml.matchAll(/^ {3}<id>(\d+)<\/id>$/gm)].map((match) => Number(match[1]))).toEqual(ids);
        expect(xml.startsWith('<?xml version="1.0"?>\n<ocs>\n <meta>\n')).toBe(true);
        expect(xml.endsWith('</element>\n </data>\n</ocs>\n')).toBe(true);
      }
    });

    it('are listed in pages with a limit', async () => {
      const ids: number[] = [];
      let cursor = '';
      let pages = 0;
      do {
        const answer = await people.shares('GET', `?limit=999${cursor && `&cursor=${cursor}`}`, 'alice');
        ids.push(...idsIn(answer.data as { id: string }[]));
        cursor = answer.headers.get('x-next-cursor') ?? '';
        pages++;
      } while (cursor !== '');
      expect(ids).toEqual(idsIn(await people.list('alice')));
      expect(pages).toBe(11);
    });

    it.each(['limit=0', 'limit=-1', 'limit=1001', 'limit=ten', 'cursor=abc', 'limit=5&cursor=abc', 'limit='])(
      'are not listed for %s',
      async (query) => {
        const { http, message } = await people.shares('GET', `?${query}`, 'alice');
        expect(http).toBe(400);
        expect(message).toMatch(/^Invalid (limit|cursor)$/);
      },
    );
  });
});
