import { DatabaseTap } from '../../libs/testing/src/rigs/database-tap';
import { createTestDatabase, type TestDatabase } from '../../libs/testing/src/rigs/test-database';
import { SharingGateway } from './sharing-gateway';

const LOCK =
  '<d:lockinfo xmlns:d="DAV:"><d:lockscope><d:exclusive/></d:lockscope><d:locktype><d:write/></d:locktype></d:lockinfo>';

const SAME_KEY = { ENCRYPTION_KEY: '0'.repeat(64) };

describe('locks at two replicas', () => {
  let own: TestDatabase;
  let tap: DatabaseTap;
  let one: SharingGateway;
  let other: SharingGateway;

  beforeAll(async () => {
    own = await createTestDatabase();
    tap = await DatabaseTap.open(own.url);
    one = await SharingGateway.start({ databaseUrl: tap.url, env: SAME_KEY });
    other = await SharingGateway.start({ databaseUrl: own.url, env: SAME_KEY });
    await one.addUsers('alice');
  });
  afterAll(async () => {
    await other?.stop();
    await one?.stop();
    await tap?.close();
    await own?.drop();
  });

  async function lock(at: SharingGateway, path: string): Promise<string | null> {
    const headers = { authorization: at.authorizationOf('alice') };
    const reply = await fetch(at.davUrl(path), { method: 'LOCK', headers, body: LOCK });
    await reply.text();
    return reply.headers.get('lock-token');
  }

  it('apply at both, and end at either', async () => {
    await one.store('alice', '/file.txt');
    const token = (await lock(one, '/file.txt'))!;
    expect(await other.dav('PUT', 'alice', '/file.txt', {}, 'x')).toBe(423);
    expect(await other.dav('PUT', 'alice', '/file.txt', { if: `(${token})` }, 'x')).toBe(204);
    expect(await other.dav('LOCK', 'alice', '/file.txt', { if: `(${token})` })).toBe(200);
    expect(await other.dav('UNLOCK', 'alice', '/file.txt', { 'lock-token': token })).toBe(204);
    expect(await one.dav('PUT', 'alice', '/file.txt', {}, 'x')).toBe(204);
  });

  it('are granted to one of many simultaneous callers', async () => {
    await one.store('alice', '/wanted.txt');
    const asked = Array.from({ length: 12 }, (_, index) => lock(index % 2 ? one : other, '/wanted.txt'));
    expect((await Promise.all(asked)).filter((token) => token !== null)).toHaveLength(1);
  });

  it('need no additional statement for a write, even if other files are locked', async () => {
    await one.store('alice', '/free.txt');
    const write = async (): Promise<void> =>
      expect(await one.dav('PUT', 'alice', '/free.txt', {}, 'x')).toBe(204);
    const costs = async (): Promise<string[]> => {
      await write();
      await write();
      const { statements } = await tap.leastDuring(write);
      return [...statements].map(([name, count]) => `${name} ${count}`).sort();
    };
    const before = await costs();
    for (let file = 1; file <= 20; file++) await lock(one, `/locked-${file}.txt`);
    expect(await costs()).toEqual(before);
    expect(before.join()).not.toContain('lock.in_storages');
  });
});
