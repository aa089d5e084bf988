import { ReceivedShares } from '#storage';
import { FilesApp } from '../../../libs/testing/src/files-app';

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
const put = (uid: string, path: string, body = 'x'): Promise<number> => status(files.dav('PUT', uid, path, { body }));
const text = async (uid: string, path: string): Promise<string> => (await files.dav('GET', uid, path)).text();
const seen = async (uid: string, path: string): Promise<boolean> =>
  (await status(files.dav('PROPFIND', uid, path, { headers: { depth: '0' } }))) === 207;
const move = (uid: string, from: string, to: string): Promise<number> => status(files.transfer('MOVE', uid, from, to));

async function states(uid: string): Promise<{ state: number; file_target: string | null }[]> {
  return files.database.dataSource.query('SELECT state, file_target FROM share_recipient WHERE uid = $1 ORDER BY share_id', [uid]);
}

async function listed(uid: string, path: string): Promise<string[]> {
  const xml = await (await files.dav('PROPFIND', uid, path, { headers: { depth: '1' } })).text();
  return [...xml.matchAll(/<d:href>(.*?)<\/d:href>/g)].map((match) => decodeURIComponent(match[1]!.slice('/remote.php/webdav'.length)));
}

describe('a received share', () => {
  it('stands in the tree of its recipient at once, with what the owner has in it', async () => {
    await folder(alice, '/shared');
    await put(alice, '/shared/f.txt', 'of alice');
    await files.share({ path: '/shared', owner: alice, recipient: brian });
    expect(await text(brian, '/shared/f.txt')).toBe('of alice');
    expect(await listed(brian, '/')).toEqual(['/', '/shared/']);
    expect(await listed(brian, '/shared')).toEqual(['/shared/', '/shared/f.txt']);
    expect(await files.property(brian, '/shared', 'oc:permissions')).toBe('SRDNVCK');
    expect(await files.property(brian, '/shared', 'oc:owner-id')).toBe(alice);
    expect(await files.property(brian, '/shared', 'oc:fileid')).toBe(await files.property(alice, '/shared', 'oc:fileid'));
    expect(await files.property(alice, '/shared', 'oc:share-types')).toContain('<oc:share-type>0</oc:share-type>');
  });

  it.each([
    [31, 201, 204, 204, 201, 'SRDNVCK', 'SRDNVW', '31'],
    [15, 201, 204, 204, 201, 'SDNVCK', 'SDNVW', '15'],
    [1, 403, 403, 403, 403, 'SDNV', 'S', '1'],
    [17, 403, 403, 403, 403, 'SRDNV', 'SR', '17'],
    [5, 201, 403, 403, 403, 'SDNVCK', 'S', '5'],
    [3, 403, 204, 403, 201, 'SDNV', 'SNVW', '3'],
  ])('with permissions %i allows what they say', async (permissions, create, update, remove, rename, letters, fileLetters, sharePermissions) => {
    await folder(alice, '/shared');
    for (const name of ['change', 'delete', 'rename']) await put(alice, `/shared/${name}.txt`);
    await files.share({ path: '/shared', owner: alice, recipient: brian, permissions });
    expect(await files.property(brian, '/shared', 'oc:permissions')).toBe(letters);
    expect(await files.property(brian, '/shared/change.txt', 'oc:permissions')).toBe(fileLetters);
    expect(await files.property(brian, '/shared', 'ocs:share-permissions')).toBe(sharePermissions);
    expect(await put(brian, '/shared/new.txt')).toBe(create);
    expect(await status(folder(brian, '/shared/new'))).toBe(create);
    expect(await put(brian, '/shared/change.txt', 'changed')).toBe(update);
    expect(await status(files.dav('DELETE', brian, '/shared/delete.txt'))).toBe(remove);
    expect(await move(brian, '/shared/rename.txt', '/shared/renamed.txt')).toBe(rename);
    expect(await move(brian, '/shared/change.txt', '/taken.txt')).toBe(remove === 204 ? 201 : 403);
  });

  it('for uploads only takes files, and shows and gives nothing', async () => {
    await folder(alice, '/shared');
    await put(alice, '/shared/f.txt');
    await files.share({ path: '/shared', owner: alice, recipient: brian, permissions: 4 });
    expect(await put(brian, '/shared/mine.txt')).toBe(201);
    expect(await put(brian, '/shared/f.txt')).toBe(403);
    expect(await status(files.dav('DELETE', brian, '/shared/f.txt'))).toBe(403);
    expect(await status(files.dav('GET', brian, '/shared/f.txt'))).toBe(404);
    expect(await seen(brian, '/shared/f.txt')).toBe(false);
    expect(await listed(brian, '/shared')).toEqual(['/shared/']);
    expect(await status(files.transfer('COPY', brian, '/shared', '/stolen'))).toBe(404);
    expect(await listed(alice, '/shared')).toEqual(['/shared/', '/shared/f.txt', '/shared/mine.txt']);
  });

  it('that is not accepted, was declined or is over is not there', async () => {
    for (const name of ['pending', 'declined', 'over', 'lasting']) await put(alice, `/${name}`);
    await files.share({ path: '/pending', owner: alice, recipient: brian, state: 1 });
    await files.share({ path: '/declined', owner: alice, recipient: brian, state: 2 });
    await files.share({ path: '/over', owner: alice, recipient: brian, expiresOn: '2001-01-01' });
    await files.share({ path: '/lasting', owner: alice, recipient: brian, expiresOn: '2999-01-01' });
    expect(await listed(brian, '/')).toEqual(['/', '/lasting']);
  });

  it('is gone at once when it is deleted', async () => {
    await put(alice, '/f.txt');
    const id = await files.share({ path: '/f.txt', owner: alice, recipient: brian });
    expect(await text(brian, '/f.txt')).toBe('x');
    await files.database.dataSource.query('DELETE FROM share WHERE id = $1', [id]);
    expect(await seen(brian, '/f.txt')).toBe(false);
  });

  it('makes way for what is already called so', async () => {
    await put(alice, '/f.txt', 'of alice');
    await put(brian, '/f.txt', 'of brian');
    await put(carol, '/f.txt', 'of carol');
    await files.share({ path: '/f.txt', owner: alice, recipient: carol });
    await files.share({ path: '/f.txt', owner: brian, recipient: carol });
    expect(await text(carol, '/f.txt')).toBe('of carol');
    expect(await text(carol, '/f (2).txt')).toBe('of alice');
    expect(await text(carol, '/f (3).txt')).toBe('of brian');
  });

  it('is placed in a folder that is made for it', async () => {
    await put(alice, '/f.txt');
    await files.share({ path: '/f.txt', owner: alice, recipient: brian, target: '/My/Received/f.txt' });
    expect(await listed(brian, '/My/Received')).toEqual(['/My/Received/', '/My/Received/f.txt']);
  });

  it('is placed in the root when its folder cannot be', async () => {
    await put(alice, '/f.txt');
    await put(brian, '/Shares', 'a file');
    await files.share({ path: '/f.txt', owner: alice, recipient: brian, target: '/Shares/f.txt' });
    expect(await seen(brian, '/f.txt')).toBe(true);
  });

  it('through several shares of one node is one entry with their permissions together', async () => {
    await folder(alice, '/merge');
    await files.addGroup(`group${run}`, brian, carol);
    await files.share({ path: '/merge', owner: alice, recipient: `group${run}`, group: true, permissions: 1 });
    expect(await files.property(brian, '/merge', 'oc:permissions')).toBe('SDNV');
    await files.share({ path: '/merge', owner: alice, recipient: brian });
    expect(await files.property(brian, '/merge', 'oc:permissions')).toBe('SRDNVCK');
    expect(await files.property(carol, '/merge', 'oc:permissions')).toBe('SDNV');
    expect(await listed(brian, '/')).toEqual(['/', '/merge/']);
  });

  it('of a group ends with the membership, and is not for its owner', async () => {
    await folder(alice, '/team');
    await files.addGroup(`group${run}`, alice, brian);
    await files.share({ path: '/team', owner: alice, recipient: `group${run}`, group: true });
    expect(await seen(brian, '/team')).toBe(true);
    expect(await listed(alice, '/')).toEqual(['/', '/team/']);
    await files.database.dataSource.query('DELETE FROM group_member WHERE uid = $1', [brian]);
    expect(await seen(brian, '/team')).toBe(false);
  });

  it('can be renamed by its recipient, for himself only', async () => {
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

  it('moves neither into another received share nor into a folder that is shared out, nor over one', async () => {
    for (const name of ['/a', '/b']) await folder(alice, name);
    await files.share({ path: '/a', owner: alice, recipient: brian });
    await files.share({ path: '/b', owner: alice, recipient: brian });
    await folder(brian, '/out');
    await folder(brian, '/out/deeper');
    await files.share({ path: '/out', owner: brian, recipient: carol });
    expect(await move(brian, '/b', '/a/b')).toBe(403);
    expect(await move(brian, '/b', '/out/deeper/b')).toBe(403);
    expect(await status(files.transfer('MOVE', brian, '/b', '/a', { overwrite: 'T' }))).toBe(403);
    expect(await move(brian, '/b', '/a')).toBe(403);
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

  it('goes with a folder of the recipient that is deleted', async () => {
    await folder(alice, '/shared');
    await files.share({ path: '/shared', owner: alice, recipient: brian });
    await folder(brian, '/own');
    await move(brian, '/shared', '/own/shared');
    expect(await status(files.dav('DELETE', brian, '/own'))).toBe(204);
    expect(await states(brian)).toEqual([{ state: 2, file_target: '/own/shared' }]);
    expect(await seen(alice, '/shared')).toBe(true);
  });

  it('follows its node when the owner moves it, and ends when he deletes it', async () => {
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

  it('gives what is moved out of it to the recipient, and what is moved in to its owner', async () => {
    await folder(alice, '/shared');
    await folder(alice, '/shared/inner');
    await put(alice, '/shared/inner/f.txt', 'travels');
    await files.share({ path: '/shared', owner: alice, recipient: brian });
    await files.share({ path: '/shared/inner', owner: alice, recipient: carol });
    expect(await seen(carol, '/inner/f.txt')).toBe(true);
    expect(await move(brian, '/shared/inner', '/mine')).toBe(201);
    expect(await text(brian, '/mine/f.txt')).toBe('travels');
    expect(await files.property(brian, '/mine/f.txt', 'oc:owner-id')).toBe(brian);
    expect([await seen(alice, '/shared/inner'), await seen(carol, '/inner')]).toEqual([false, false]);
    expect(await files.property(alice, '/', 'oc:size')).toBe('0');
    expect(await files.property(brian, '/', 'oc:size')).toBe('7');
    expect(await move(brian, '/mine', '/shared/back')).toBe(201);
    expect(await files.property(alice, '/shared/back/f.txt', 'oc:owner-id')).toBe(alice);
    expect(await status(files.transfer('COPY', brian, '/shared/back', '/copy'))).toBe(201);
    expect(await text(brian, '/copy/f.txt')).toBe('travels');
  });

  it('of a single file can be overwritten in place, and is not replaced by a move', async () => {
    await put(alice, '/f.txt', 'old');
    await files.share({ path: '/f.txt', owner: alice, recipient: brian, permissions: 19 });
    expect(await files.property(brian, '/f.txt', 'oc:permissions')).toBe('SRDNVW');
    expect(await put(brian, '/f.txt', 'new')).toBe(204);
    expect(await text(alice, '/f.txt')).toBe('new');
    await put(brian, '/other.txt');
    expect(await status(files.transfer('MOVE', brian, '/other.txt', '/f.txt', { overwrite: 'T' }))).toBe(403);
    expect(await move(brian, '/f.txt', '/g.txt')).toBe(201);
    expect(await put(brian, '/g.txt', 'newer')).toBe(204);
    expect(await text(alice, '/f.txt')).toBe('newer');
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
    const watched = [[alice, ''], [alice, '/shared'], [alice, '/shared/inner'], [alice, '/beside'], [brian, ''], [brian, '/own'], [brian, '/own/shared']] as const;
    const all = () => Promise.all(watched.map(([uid, path]) => etag(uid, path)));
    const before = await all();
    await put(alice, '/shared/inner/f.txt', '12345');
    const after = await all();
    expect(before.map((value, index) => value !== after[index])).toEqual([true, true, true, false, true, true, true]);
    expect(await files.property(alice, '/', 'oc:size')).toBe('5');
    expect(await files.property(brian, '/own/shared', 'oc:size')).toBe('5');
  });

  it('are the same whether a folder is asked for itself or listed', async () => {
    await folder(alice, '/shared');
    await folder(brian, '/own');
    await files.share({ path: '/shared', owner: alice, recipient: brian });
    await move(brian, '/shared', '/own/shared');
    const xml = await (await files.dav('PROPFIND', brian, '/', { headers: { depth: '1' } })).text();
    expect(xml).toContain((await etag(brian, '/own'))!);
  });
});
