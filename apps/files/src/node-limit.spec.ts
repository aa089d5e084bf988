import { RuntimeSettings } from '#settings';
import { TrashBin } from '#storage';
import { FilesApp } from '../../../libs/testing/src/rigs/files-app';
import { ReadingPartner, WAYS_IN } from '../../../libs/testing/src/partners/reading-partner';

let files: FilesApp;
let alice: string;
let brian: string;

beforeAll(async () => {
  files = await FilesApp.start();
});
afterAll(() => files.stop());
beforeEach(async () => {
  [alice, brian] = await files.newPeople('alice', 'brian');
  await files.dav('MKCOL', alice, '/folder');
  await files.dav('PUT', alice, '/folder/file.txt', { body: 'of alice' });
});
afterEach(() => files.get(RuntimeSettings).unset('files', 'max_nodes_per_user'));

const limitTo = (nodes: number): Promise<void> =>
  files.get(RuntimeSettings).set('files', 'max_nodes_per_user', String(nodes));
const status = async (reply: Promise<Response>): Promise<number> => (await reply).status;
const put = (uid: string, path: string, body = 'x'): Promise<number> =>
  status(files.dav('PUT', uid, path, { body }));
const query = <T>(sql: string, ...values: unknown[]): Promise<T[]> =>
  files.database.dataSource.query(sql, values);

/** The stored count of a user's storage, and the real number of nodes in it. */
async function counts(uid: string): Promise<[number | null, number]> {
  const [row] = await query<{ said: string | null; actual: number }>(
    `SELECT node_count AS said, (SELECT count(*) FROM node n WHERE n.storage_id = s.id AND n.path <> '')::integer AS actual
     FROM storage s WHERE owner_uid = $1 AND received_share_id IS NULL`,
    uid,
  );
  return [row!.said === null ? null : Number(row!.said), row!.actual];
}

describe('the limit of files and folders of a user', () => {
  it('refuses new nodes over WebDAV with 507 and a reason, and changes nothing', async () => {
    await limitTo(2);
    const reply = await files.dav('PUT', alice, '/new.txt', { body: 'x' });
    expect([reply.status, await reply.text()]).toEqual([
      507,
      expect.stringContaining('as many files and folders as one user may have'),
    ]);
    expect(await put(alice, '/empty.txt', '')).toBe(507);
    expect(await status(files.dav('MKCOL', alice, '/new'))).toBe(507);
    expect(await status(files.transfer('COPY', alice, '/folder/file.txt', '/copy.txt'))).toBe(507);
    expect(await counts(alice)).toEqual([2, 2]);
  });

  it('applies to many uploads at once, and removes no more of the trash bin than they need', async () => {
    const putMany = async (names: string): Promise<number[]> =>
      (await Promise.all(Array.from(names, (name) => put(alice, `/${name}.txt`)))).sort();
    await limitTo(7);
    expect(await putMany('abcdefghijkl')).toEqual([
      ...Array<number>(5).fill(201),
      ...Array<number>(7).fill(507),
    ]);
    expect(await counts(alice)).toEqual([7, 7]);
    await limitTo(20);
    const inTrash = ['q', 'r', 's', 't'];
    for (const name of inTrash) await put(alice, `/${name}.txt`);
    for (const name of inTrash) await files.dav('DELETE', alice, `/${name}.txt`);
    await limitTo(13);
    expect(await putMany('wxyz')).toEqual(Array<number>(4).fill(201));
    const left = await files.get(TrashBin).list(alice);
    expect(left.map((entry) => entry.originalPath).sort()).toEqual(['s.txt', 't.txt']);
    expect(await counts(alice)).toEqual([13, 13]);
  });

  it('permits requests that add nothing: overwriting, moving, copying over a file, removing', async () => {
    await put(alice, '/other.txt');
    await limitTo(3);
    expect(await put(alice, '/folder/file.txt', 'much longer content')).toBe(204);
    expect(await status(files.transfer('MOVE', alice, '/folder/file.txt', '/moved.txt'))).toBe(201);
    const over = { overwrite: 'T' };
    expect(await status(files.transfer('COPY', alice, '/moved.txt', '/other.txt', over))).toBe(204);
    expect(await status(files.dav('DELETE', alice, '/other.txt'))).toBe(204);
    expect(await put(alice, '/again.txt')).toBe(201);
    expect(await put(alice, '/more.txt')).toBe(507);
  });

  it('counts the trash bin, whose oldest nodes are removed for new ones', async () => {
    for (const path of ['/1.txt', '/2.txt']) {
      await put(alice, path);
      await files.dav('DELETE', alice, path);
    }
    await limitTo(4);
    expect(await put(alice, '/3.txt')).toBe(201);
    const left = await files.get(TrashBin).list(alice);
    expect(left.map((entry) => entry.originalPath)).toEqual(['2.txt']);
    expect(await put(alice, '/4.txt')).toBe(201);
    expect(await put(alice, '/5.txt')).toBe(507);
    expect(await files.get(TrashBin).list(alice)).toEqual([]);
  });

  it('counts every entry of a copied folder', async () => {
    await limitTo(3);
    expect(await status(files.transfer('COPY', alice, '/folder', '/twice'))).toBe(507);
    await limitTo(4);
    expect(await status(files.transfer('COPY', alice, '/folder', '/twice'))).toBe(201);
    expect(await counts(alice)).toEqual([4, 4]);
  });

  it('counts nodes from recipients to the owner, by upload and by move, and not to themselves', async () => {
    await files.share({ path: '/folder', owner: alice, recipient: brian });
    await files.dav('MKCOL', brian, '/mine');
    await put(brian, '/mine/1.txt');
    await limitTo(3);
    expect(await status(files.transfer('MOVE', brian, '/mine', '/folder/mine'))).toBe(507);
    expect(await counts(brian)).toEqual([2, 2]);
    await limitTo(4);
    expect(await status(files.transfer('MOVE', brian, '/mine', '/folder/mine'))).toBe(201);
    expect([await counts(alice), await counts(brian)]).toEqual([
      [4, 4],
      [0, 0],
    ]);
    expect(await put(brian, '/folder/more.txt')).toBe(507);
    expect(await put(brian, '/own.txt')).toBe(201);
  });

  it('applies to uploads through a link, with their folders', async () => {
    const { token } = await files.link({ path: '/folder', owner: alice, permissions: 4 });
    const upload = (path: string): Promise<number> =>
      status(fetch(`${files.url}/remote.php/dav/public-files/${token}${path}`, { method: 'PUT', body: 'x' }));
    await limitTo(4);
    expect(await upload('/a/b/c.txt')).toBe(507);
    expect(await upload('/a/c.txt')).toBe(201);
    expect(await upload('/c.txt')).toBe(507);
    expect(await counts(alice)).toEqual([4, 4]);
  });

  it.each(WAYS_IN)('applies to partners, at %s', async (way) => {
    const partner = new ReadingPartner(files.url);
    const secret = await files.federatedShare({ path: '/folder', owner: alice, permissions: 31 });
    await limitTo(2);
    expect(await partner.statusOf(way, secret, 'PUT', '/new.txt', { body: 'x' })).toBe(507);
    expect(await partner.statusOf(way, secret, 'MKCOL', '/new')).toBe(507);
    expect(await partner.statusOf(way, secret, 'COPY', '/file.txt', { to: '/copy.txt' })).toBe(507);
    await limitTo(3);
    expect(await partner.statusOf(way, secret, 'PUT', '/new.txt', { body: 'x' })).toBe(201);
  });

  it('is off with 0, and a million by default', async () => {
    await query('UPDATE storage SET node_count = 999999 WHERE owner_uid = $1', alice);
    expect(await put(alice, '/last.txt')).toBe(201);
    expect(await put(alice, '/more.txt')).toBe(507);
    await limitTo(0);
    expect(await put(alice, '/more.txt')).toBe(201);
  });

  it('admits only as many simultaneous writers as there is space for', async () => {
    await limitTo(7);
    const statuses = await Promise.all(Array.from({ length: 20 }, (_, index) => put(alice, `/${index}.txt`)));
    expect(statuses.filter((code) => code === 201)).toHaveLength(5);
    expect(statuses.filter((code) => code === 507)).toHaveLength(15);
    expect(await counts(alice)).toEqual([7, 7]);
  });
});

describe('the count of files and folders of a user', () => {
  it('is right after creating, moving and removing folders', async () => {
    await files.dav('MKCOL', alice, '/folder/sub');
    await put(alice, '/folder/sub/1.txt');
    expect(await counts(alice)).toEqual([4, 4]);
    await files.transfer('MOVE', alice, '/folder/sub', '/sub');
    await files.transfer('COPY', alice, '/sub', '/folder/sub');
    expect(await counts(alice)).toEqual([6, 6]);
    await files.transfer('COPY', alice, '/sub/1.txt', '/folder', { overwrite: 'T' });
    await files.dav('DELETE', alice, '/sub');
    expect(await counts(alice)).toEqual([7, 7]);
    await files.get(TrashBin).empty(alice);
    expect(await counts(alice)).toEqual([1, 1]);
  });

  it('follows a move out of a received share, with all nodes below and their copies in the trash bin', async () => {
    await files.share({ path: '/folder', owner: alice, recipient: brian });
    await files.dav('MKCOL', brian, '/folder/sub');
    await put(brian, '/folder/sub/1.txt');
    await files.dav('MKCOL', brian, '/folder/sub/deep');
    await put(brian, '/folder/sub/deep/2.txt');
    expect(await status(files.transfer('MOVE', brian, '/folder/sub', '/mine'))).toBe(201);
    expect([await counts(alice), await counts(brian)]).toEqual([
      [6, 6],
      [4, 4],
    ]);
  });

  it('of an older storage is made at the first need, and then stored', async () => {
    await query('UPDATE storage SET node_count = NULL WHERE owner_uid = $1', alice);
    await files.dav('DELETE', alice, '/folder/file.txt');
    expect(await counts(alice)).toEqual([null, 2]);
    await limitTo(2);
    expect(await put(alice, '/1.txt')).toBe(201);
    expect(await counts(alice)).toEqual([2, 2]);
    expect(await put(alice, '/2.txt')).toBe(507);
  });
});
