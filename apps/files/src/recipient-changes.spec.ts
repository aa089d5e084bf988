import { ReceivedShares } from '#storage';
import { FilesApp } from '../../../libs/testing/src/rigs/files-app';

let files: FilesApp;
let run = 0;
let alice: string;
let brian: string;
let carol: string;

beforeAll(async () => {
  files = await FilesApp.start();
});
afterAll(() => files.stop());
beforeEach(async () => {
  run++;
  [alice, brian, carol] = [`alice${run}`, `brian${run}`, `carol${run}`];
  await files.addUsers(alice, brian, carol);
});

const status = async (reply: Promise<Response>): Promise<number> => (await reply).status;
const folder = (uid: string, path: string): Promise<Response> => files.dav('MKCOL', uid, path);
const put = (uid: string, path: string, body = 'x'): Promise<number> =>
  status(files.dav('PUT', uid, path, { body }));
const text = async (uid: string, path: string): Promise<string> => (await files.dav('GET', uid, path)).text();
const seen = async (uid: string, path: string): Promise<boolean> =>
  (await status(files.dav('PROPFIND', uid, path, { headers: { depth: '0' } }))) === 207;
const move = (uid: string, from: string, to: string): Promise<number> =>
  status(files.transfer('MOVE', uid, from, to));

async function states(uid: string): Promise<{ state: number; file_target: string | null }[]> {
  return files.database.dataSource.query(
    'SELECT state, file_target FROM share_recipient WHERE uid = $1 ORDER BY share_id',
    [uid],
  );
}

async function listed(uid: string, path: string): Promise<string[]> {
  const xml = await (await files.dav('PROPFIND', uid, path, { headers: { depth: '1' } })).text();
  return [...xml.matchAll(/<d:href>(.*?)<\/d:href>/g)].map((match) =>
    decodeURIComponent(match[1]!.slice('/remote.php/webdav'.length)),
  );
}

describe('a received share', () => {
  it('can be renamed by its recipient, for themselves only', async () => {
    await folder(alice, '/shared');
    await put(alice, '/shared/inside');
    await files.share({ path: '/shared', owner: alice, recipient: brian, permissions: 17 });
    await files.share({ path: '/shared', owner: alice, recipient: carol });
    await folder(brian, '/own');
    expect(await move(brian, '/shared', '/own/mine')).toBe(201);
    expect(await seen(brian, '/own/mine/inside')).toBe(true);
    expect(await seen(brian, '/shared')).toBe(false);
    expect([await seen(carol, '/shared/inside'), await seen(alice, '/shared/inside')]).toEqual([true, true]);
    expect(await move(brian, '/own', '/moved')).toBe(201);
    expect(await listed(brian, '/moved/mine')).toEqual(['/moved/mine/', '/moved/mine/inside']);
  });

  it('moves neither into another received share nor into a shared folder', async () => {
    for (const name of ['/a', '/b']) await folder(alice, name);
    await files.share({ path: '/a', owner: alice, recipient: brian });
    await files.share({ path: '/b', owner: alice, recipient: brian });
    await folder(brian, '/out');
    await folder(brian, '/out/deeper');
    await files.share({ path: '/out', owner: brian, recipient: carol });
    expect(await move(brian, '/b', '/a/b')).toBe(403);
    expect(await move(brian, '/b', '/out/deeper/b')).toBe(403);
    expect(await move(brian, '/b', '/nowhere/b')).toBe(409);
    expect(await listed(brian, '/')).toEqual(['/', '/a/', '/b/', '/out/']);
  });

  it('is unshared when its recipient deletes it, and comes back when it is accepted', async () => {
    await folder(alice, '/shared');
    const shareId = await files.share({ path: '/shared', owner: alice, recipient: brian });
    expect(await status(files.dav('DELETE', brian, '/shared'))).toBe(204);
    expect(await seen(brian, '/shared')).toBe(false);
    expect(await seen(alice, '/shared')).toBe(true);
    expect(await states(brian)).toEqual([{ state: 2, file_target: '/shared' }]);
    const nodeId = Number(await files.property(alice, '/shared', 'oc:fileid'));
    expect(await files.get(ReceivedShares).accept(brian, nodeId, shareId)).toBe('/shared');
    expect(await files.get(ReceivedShares).accept(brian, nodeId, shareId)).toBe('/shared');
    expect(await seen(brian, '/shared')).toBe(true);
  });

  it('that was declined while its name was taken gets a second number', async () => {
    const received = files.get(ReceivedShares);
    await put(alice, '/t.txt', 'first');
    await put(brian, '/t.txt', 'second');
    await put(carol, '/t.txt', 'third');
    const first = await files.share({ path: '/t.txt', owner: alice, recipient: carol, state: 1 });
    const second = await files.share({ path: '/t.txt', owner: brian, recipient: carol, state: 1 });
    const firstNode = Number(await files.property(alice, '/t.txt', 'oc:fileid'));
    const secondNode = Number(await files.property(brian, '/t.txt', 'oc:fileid'));
    expect(await received.accept(carol, firstNode, first)).toBe('/t (2).txt');
    await received.decline(carol, firstNode);
    expect(await received.accept(carol, secondNode, second)).toBe('/t (2).txt');
    expect(await received.accept(carol, firstNode, first)).toBe('/t (2) (2).txt');
    expect(await text(carol, '/t (2) (2).txt')).toBe('first');
  });

  it('of a group can be declined by one member', async () => {
    await folder(alice, '/team');
    await files.addGroup(`group${run}`, brian, carol);
    await files.share({ path: '/team', owner: alice, recipient: `group${run}`, group: true });
    await files.get(ReceivedShares).decline(brian, Number(await files.property(alice, '/team', 'oc:fileid')));
    expect([await seen(brian, '/team'), await seen(carol, '/team')]).toEqual([false, true]);
  });

  it('stays visible if somebody else moves or deletes the shared folder around it', async () => {
    await folder(alice, '/gift');
    await files.share({ path: '/gift', owner: alice, recipient: brian });
    for (const name of ['/out', '/box']) await folder(brian, name);
    await files.share({ path: '/out', owner: brian, recipient: carol });
    expect(await move(brian, '/gift', '/box/gift')).toBe(201);
    expect(await move(brian, '/box', '/out/box')).toBe(201);
    expect(await move(carol, '/out/box', '/out/renamed')).toBe(201);
    expect(await listed(brian, '/out/renamed')).toEqual(['/out/renamed/', '/out/renamed/gift/']);
    expect(await status(files.dav('DELETE', carol, '/out/renamed'))).toBe(204);
    expect(await listed(brian, '/')).toEqual(['/', '/gift/', '/out/']);
    expect(await states(brian)).toEqual([{ state: 0, file_target: '/gift' }]);
  });

  it('is removed with a deleted folder of the recipient', async () => {
    await folder(alice, '/shared');
    await files.share({ path: '/shared', owner: alice, recipient: brian });
    await folder(brian, '/own');
    await move(brian, '/shared', '/own/shared');
    expect(await status(files.dav('DELETE', brian, '/own'))).toBe(204);
    expect(await states(brian)).toEqual([{ state: 2, file_target: '/own/shared' }]);
    expect(await seen(alice, '/shared')).toBe(true);
  });

  it('follows its node when the owner moves it, and ends when the owner deletes it', async () => {
    for (const name of ['/a', '/b']) await folder(alice, name);
    await put(alice, '/b/f.txt');
    await files.share({ path: '/a', owner: alice, recipient: brian });
    await files.share({ path: '/b', owner: alice, recipient: brian });
    expect(await seen(brian, '/b/f.txt')).toBe(true);
    expect(await move(alice, '/b', '/a/b')).toBe(201);
    expect([await seen(brian, '/b/f.txt'), await seen(brian, '/a/b/f.txt')]).toEqual([true, true]);
    expect(await status(files.dav('DELETE', alice, '/a'))).toBe(204);
    expect([await seen(brian, '/b'), await seen(brian, '/a')]).toEqual([false, false]);
  });

  it('gives nodes that are moved out of it to the recipient, and nodes that are moved in to its owner', async () => {
    await folder(alice, '/shared');
    await folder(alice, '/shared/inner');
    await put(alice, '/shared/inner/f.txt', 'travels');
    await files.share({ path: '/shared', owner: alice, recipient: brian });
    await files.share({ path: '/shared/inner', owner: alice, recipient: carol });
    expect(await seen(carol, '/inner/f.txt')).toBe(true);
    expect(await move(brian, '/shared/inner', '/mine')).toBe(201);
    expect(await text(brian, '/mine/f.txt')).toBe('travels');
    expect(await files.property(brian, '/mine/f.txt', 'oc:owner-id')).toBe(brian);
    expect([await seen(alice, '/shared/inner'), await seen(carol, '/inner')]).toEqual([false, true]);
    expect(await files.property(alice, '/', 'oc:size')).toBe('0');
    expect(await files.property(brian, '/', 'oc:size')).toBe('7');
    expect(await move(brian, '/mine', '/shared/back')).toBe(201);
    expect(await files.property(alice, '/shared/back/f.txt', 'oc:owner-id')).toBe(alice);
    expect(await status(files.transfer('COPY', brian, '/shared/back', '/copy'))).toBe(201);
    expect(await text(brian, '/copy/f.txt')).toBe('travels');
  });

  it('of a single file can be overwritten in place, and is declined by a move over it', async () => {
    await put(alice, '/f.txt', 'old');
    await files.share({ path: '/f.txt', owner: alice, recipient: brian, permissions: 19 });
    expect(await files.property(brian, '/f.txt', 'oc:permissions')).toBe('SRDNVW');
    expect(await put(brian, '/f.txt', 'new')).toBe(204);
    expect(await text(alice, '/f.txt')).toBe('new');
    expect(await move(brian, '/f.txt', '/g.txt')).toBe(201);
    expect(await put(brian, '/g.txt', 'newer')).toBe(204);
    expect(await text(alice, '/f.txt')).toBe('newer');
    await put(brian, '/other.txt', 'own');
    expect(await status(files.transfer('MOVE', brian, '/other.txt', '/g.txt', { overwrite: 'T' }))).toBe(204);
    expect([await text(brian, '/g.txt'), await text(alice, '/f.txt')]).toEqual(['own', 'newer']);
  });
});

describe('etags', () => {
  const etag = (uid: string, path: string): Promise<string | null> => files.property(uid, path, 'd:getetag');

  it('change up the tree, through shares, and nowhere else', async () => {
    await folder(alice, '/shared');
    await folder(alice, '/shared/inner');
    await folder(alice, '/beside');
    await folder(brian, '/own');
    await files.share({ path: '/shared', owner: alice, recipient: brian });
    await move(brian, '/shared', '/own/shared');
    const watched = [
      [alice, ''],
      [alice, '/shared'],
      [alice, '/shared/inner'],
      [alice, '/beside'],
      [brian, ''],
      [brian, '/own'],
      [brian, '/own/shared'],
    ] as const;
    const all = () => Promise.all(watched.map(([uid, path]) => etag(uid, path)));
    const before = await all();
    await put(alice, '/shared/inner/f.txt', '12345');
    const after = await all();
    expect(before.map((value, index) => value !== after[index])).toEqual([
      true,
      true,
      true,
      false,
      true,
      true,
      true,
    ]);
    expect(await files.property(alice, '/', 'oc:size')).toBe('5');
    expect(await files.property(brian, '/own/shared', 'oc:size')).toBe('5');
  });

  it('are the same in a request for a folder and in a listing', async () => {
    await folder(alice, '/shared');
    await folder(brian, '/own');
    await files.share({ path: '/shared', owner: alice, recipient: brian });
    await move(brian, '/shared', '/own/shared');
    const xml = await (await files.dav('PROPFIND', brian, '/', { headers: { depth: '1' } })).text();
    expect(xml).toContain((await etag(brian, '/own'))!);
  });
});
