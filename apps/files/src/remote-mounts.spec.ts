import { FilesApp } from '../../../libs/testing/src/rigs/files-app';
import { FakeRemoteFiles } from '../../../libs/testing/src/fakes/fake-remote-files';
import { countAllStatements } from '../../../libs/testing/src/rigs/statement-count';
import { eventually } from '../../../libs/testing/src/waiting';

let files: FilesApp;
const partner = new FakeRemoteFiles();
let run = 0;
let brian: string;
let carol: string;
let there: string;

beforeAll(async () => {
  files = await FilesApp.start(partner);
});
afterAll(() => files.stop());
beforeEach(async () => {
  run++;
  [brian, carol, there] = [`brian${run}`, `carol${run}`, `share-${run}`];
  await files.addUsers(brian, carol);
  partner.set(there, '/f.txt', 'of alice');
  partner.set(there, '/sub', null);
  partner.set(there, '/sub/deep.txt', 'deep down');
});
afterEach(() => {
  partner.release();
  partner.fail(undefined);
  partner.breakOffAfter(undefined);
  partner.permissions = null;
});

const query = <T>(sql: string, ...values: unknown[]): Promise<T[]> =>
  files.database.dataSource.query<T[]>(sql, values);
const status = async (reply: Promise<Response>): Promise<number> => (await reply).status;
const text = async (uid: string, path: string): Promise<string> => (await files.dav('GET', uid, path)).text();
const receive = (target = '/From partner'): Promise<number> =>
  files.receive({ providerId: there, recipient: brian, target });

async function listed(uid: string, path: string): Promise<string[]> {
  const reply = await files.dav('PROPFIND', uid, path, { headers: { depth: '1' } });
  if (reply.status !== 207) return [`HTTP ${reply.status}`];
  return [...(await reply.text()).matchAll(/<d:href>(.*?)<\/d:href>/g)].map((match) =>
    decodeURIComponent(match[1]!.slice('/remote.php/webdav'.length)),
  );
}

const unreachableSince = async (id: number): Promise<Date | null> =>
  (
    await query<{ since: Date | null }>(
      'SELECT unreachable_since AS since FROM received_share WHERE id = $1',
      id,
    )
  )[0]!.since;

describe('several ranges of a partner’s file', () => {
  const ranged = (range: string): Promise<Response> =>
    files.dav('GET', brian, '/From partner/f.txt', { headers: { range } });

  it('are sent as parts, with one request to the partner for each', async () => {
    await receive();
    const reply = await ranged('bytes=0-1,6-7');
    expect([reply.status, await reply.text()]).toEqual([
      206,
      expect.stringMatching(/0-1\/8\s+of\s.*6-7\/8\s+ce\s/s),
    ]);
    const asked = partner.calls.filter((call) => call === `read ${there} /f.txt`);
    expect(asked).toHaveLength(2);
    expect((await ranged('bytes=0-0,2-2,4-4,6-6')).status).toBe(206);
    expect((await ranged('bytes=0-0,2-2,4-4,6-6,1-1')).status).toBe(200);
  });

  it('end early if the content changes between them', async () => {
    await receive();
    await text(brian, '/From partner/f.txt');
    partner.changeAfterRead(there, '/f.txt', 'of somebody else');
    await expect(ranged('bytes=0-1,6-7').then((reply) => reply.text())).rejects.toThrow();
  });
});

describe('a share from a partner', () => {
  it('is a folder in the tree of its recipient', async () => {
    await receive();
    expect(await listed(brian, '/')).toEqual(['/', '/From partner/']);
    expect(await listed(brian, '/From partner')).toEqual([
      '/From partner/',
      '/From partner/f.txt',
      '/From partner/sub/',
    ]);
    expect(await listed(brian, '/From partner/sub')).toEqual([
      '/From partner/sub/',
      '/From partner/sub/deep.txt',
    ]);
    expect(await text(brian, '/From partner/f.txt')).toBe('of alice');
    expect(await files.property(brian, '/From partner', 'oc:permissions')).toBe('SRDNVCK');
    expect(await files.property(brian, '/From partner', 'oc:owner-id')).toBe(brian);
    expect(await files.property(brian, '/From partner/f.txt', 'oc:permissions')).toBe('SRDNVW');
    expect(await files.property(brian, '/From partner/f.txt', 'd:getcontentlength')).toBe('8');
  });

  it('shows a refusal of its server, and is 404 after its owner’s message about the end', async () => {
    const id = await receive();
    partner.fail('denied');
    const refused = await files.dav('GET', brian, '/From partner/f.txt');
    expect(refused.status).toBe(503);
    expect(await refused.text()).toContain('denies access to the share');
    // On a busy machine the message may arrive after the second for which the request waits.
    await eventually('404 by the message that came meanwhile', async () => {
      await query(
        `UPDATE received_share SET state = 'accepted', file_target = '/From partner' WHERE id = $1`,
        id,
      );
      const asked = files.dav('GET', brian, '/From partner/f.txt');
      await query(`UPDATE received_share SET state = 'gone', file_target = NULL WHERE id = $1`, id);
      return (await status(asked)) === 404;
    });
  });

  it('is read at any depth without a listing of the folders above', async () => {
    await receive();
    expect(await text(brian, '/From partner/sub/deep.txt')).toBe('deep down');
    expect(await listed(brian, '/From partner')).toEqual([
      '/From partner/',
      '/From partner/f.txt',
      '/From partner/sub/',
    ]);
  });

  it('that is a single file is that file', async () => {
    partner.set(`${there}-file`, '', 'one file');
    await files.receive({ providerId: `${there}-file`, recipient: brian, target: '/one.txt', kind: null });
    expect(await text(brian, '/one.txt')).toBe('one file');
    expect(await listed(brian, '/')).toEqual(['/', '/one.txt']);
    expect(await files.property(brian, '/one.txt', 'oc:permissions')).toBe('SRDNVW');
    expect(
      await query('SELECT kind, size, mimetype FROM received_share WHERE provider_id = $1', `${there}-file`),
    ).toEqual([{ kind: 'file', size: 8, mimetype: 'text/plain' }]);
  });

  it('answers range requests, with the headers of the part', async () => {
    await receive();
    const reply = await files.dav('GET', brian, '/From partner/f.txt', { headers: { range: 'bytes=3-7' } });
    expect(reply.status).toBe(206);
    expect(reply.headers.get('content-range')).toBe('bytes 3-7/8');
    expect(await reply.text()).toBe('alice');
    const etag = (await files.dav('HEAD', brian, '/From partner/f.txt')).headers.get('etag')!;
    const again = await files.dav('GET', brian, '/From partner/f.txt', {
      headers: { 'if-none-match': etag },
    });
    expect(again.status).toBe(304);
  });

  it('shows changes there, and keeps the ids of unchanged nodes', async () => {
    await receive();
    await listed(brian, '/From partner');
    const id = await files.property(brian, '/From partner/f.txt', 'oc:fileid');
    const above = await files.property(brian, '/', 'd:getetag');
    expect(await listed(brian, '/From partner')).toHaveLength(3);
    expect(await files.property(brian, '/', 'd:getetag')).toBe(above);
    partner.set(there, '/f.txt', 'changed');
    partner.set(there, '/new.txt', 'new');
    partner.drop(there, '/sub');
    expect(await listed(brian, '/From partner')).toEqual([
      '/From partner/',
      '/From partner/f.txt',
      '/From partner/new.txt',
    ]);
    expect(await text(brian, '/From partner/f.txt')).toBe('changed');
    expect(await files.property(brian, '/From partner/f.txt', 'oc:fileid')).toBe(id);
    expect(await files.property(brian, '/', 'd:getetag')).not.toBe(above);
  });

  it('removes a missing file at the partner, and one that became a folder', async () => {
    await receive();
    await listed(brian, '/From partner');
    partner.drop(there, '/f.txt');
    expect(await status(files.dav('GET', brian, '/From partner/f.txt'))).toBe(404);
    partner.set(there, '/f.txt', null);
    partner.set(there, '/f.txt/inside', 'x');
    expect(await text(brian, '/From partner/f.txt/inside')).toBe('x');
    expect(await listed(brian, '/From partner/f.txt')).toEqual([
      '/From partner/f.txt/',
      '/From partner/f.txt/inside',
    ]);
  });

  it('is not requested by a listing of the folder above', async () => {
    await receive();
    await listed(brian, '/From partner');
    const before = partner.calls.length;
    await listed(brian, '/');
    await files.property(brian, '/', 'd:getetag');
    expect(partner.calls.length).toBe(before);
  });

  it('costs the same number of statements with 400 entries as with ten, and three more with 2,100', async () => {
    const costs: number[][] = [];
    for (const count of [10, 400, 2_100]) {
      const providerId = `${there}-${count}`;
      for (let i = 0; i < count; i++) partner.set(providerId, `/f${i}.txt`, 'x');
      const target = `/Of ${count}`;
      await files.receive({ providerId, recipient: brian, target });
      expect(await listed(brian, target)).toHaveLength(count + 1);
      costs.push([
        await leastCost(target),
        await leastCost(target, () => partner.set(providerId, '/f1.txt', 'changed')),
      ]);
    }
    const [few, many, inParts] = costs;
    expect(many).toEqual(few);
    // Listings are read in parts of 2,000 entries: the ids once, and two statements for each further part.
    expect(inParts!.map((cost, i) => cost - few![i]!)).toEqual([3, 3]);
    expect(Math.max(...few!)).toBeLessThan(25);
  });

  /** Requests of several listings, without those that the app sends by itself in the meantime. */
  async function leastCost(path: string, before: () => void = () => undefined): Promise<number> {
    const costs: number[] = [];
    for (let round = 0; round < 3; round++) {
      before();
      costs.push(await countAllStatements(files.appDatabase, () => listed(brian, path)));
    }
    return Math.min(...costs);
  }

  it('has the permissions that its partner sends', async () => {
    await receive();
    partner.permissions = 1;
    await listed(brian, '/From partner');
    expect(await files.property(brian, '/From partner', 'oc:permissions')).toBe('SDNV');
    expect(await status(files.dav('PUT', brian, '/From partner/f.txt', { body: 'mine' }))).toBe(403);
    expect(partner.content(there, '/f.txt')).toBe('of alice');
  });

  it('does not exist after its expiry or end', async () => {
    const id = await receive();
    await query('UPDATE received_share SET expires_at = now() WHERE id = $1', id);
    expect(await listed(brian, '/')).toEqual(['/']);
    await query(`UPDATE received_share SET expires_at = NULL, state = 'gone' WHERE id = $1`, id);
    expect(await listed(brian, '/')).toEqual(['/']);
    expect(await query('SELECT id FROM storage WHERE received_share_id = $1', id)).toEqual([]);
  });
});

describe('a partner without an answer', () => {
  it('delays a listing for a short time; then the last known listing is shown', async () => {
    const id = await receive();
    await listed(brian, '/From partner');
    partner.hang();
    expect(await listed(brian, '/From partner')).toHaveLength(3);
    partner.fail('unreachable');
    partner.release();
    await eventually('the share is noted as unreachable', async () => (await unreachableSince(id)) !== null);
    partner.hang();
    expect(await listed(brian, '/From partner')).toHaveLength(3);
    expect(await files.property(brian, '/From partner/f.txt', 'd:getcontentlength')).toBe('8');
  });

  it('makes unknown entries "unavailable"', async () => {
    await receive();
    partner.fail('unreachable');
    const reply = await files.dav('PROPFIND', brian, '/From partner', { headers: { depth: '1' } });
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '30']);
    expect(await listed(brian, '/')).toEqual(['/', '/From partner/']);
  });

  it.each(['denied', 'missing', 'not-understood'] as const)(
    'that answers "%s" does not remove known entries',
    async (code) => {
      const id = await receive();
      await listed(brian, '/From partner');
      partner.fail(code);
      expect(await listed(brian, '/From partner')).toHaveLength(3);
      expect(
        await status(files.dav('PROPFIND', brian, '/From partner/f.txt', { headers: { depth: '0' } })),
      ).toBe(207);
      expect(await query('SELECT state FROM received_share WHERE id = $1', id)).toEqual([
        { state: 'accepted' },
      ]);
      expect(await unreachableSince(id)).not.toBeNull();
      partner.fail(undefined);
      await query('UPDATE received_share SET unreachable_since = NULL WHERE id = $1', id);
      expect(await listed(brian, '/From partner')).toHaveLength(3);
    },
  );

  it('ends the reply early if it stops in the middle of a file', async () => {
    partner.set(there, '/long.txt', 'x'.repeat(100_000));
    await receive();
    partner.breakOffAfter(10_000);
    const reply = await files.dav('GET', brian, '/From partner/long.txt');
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-length')).toBe('100000');
    await expect(reply.text()).rejects.toThrow();
  });
});
