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

async function listed(uid: string, path: string): Promise<string[]> {
  const xml = await (await files.dav('PROPFIND', uid, path, { headers: { depth: '1' } })).text();
  return [...xml.matchAll(/<d:href>(.*?)<\/d:href>/g)].map((match) =>
    decodeURIComponent(match[1]!.slice('/remote.php/webdav'.length)),
  );
}

describe('a received share', () => {
  it('is in the tree of its recipient at once, with the content of the owner', async () => {
    await folder(alice, '/shared');
    await put(alice, '/shared/f.txt', 'of alice');
    await files.share({ path: '/shared', owner: alice, recipient: brian });
    expect(await text(brian, '/shared/f.txt')).toBe('of alice');
    expect(await listed(brian, '/')).toEqual(['/', '/shared/']);
    expect(await listed(brian, '/shared')).toEqual(['/shared/', '/shared/f.txt']);
    expect(await files.property(brian, '/shared', 'oc:permissions')).toBe('SRDNVCK');
    expect(await files.property(brian, '/shared', 'oc:owner-id')).toBe(alice);
    expect(await files.property(brian, '/shared', 'oc:fileid')).toBe(
      await files.property(alice, '/shared', 'oc:fileid'),
    );
    expect(await files.property(alice, '/shared', 'oc:share-types')).toContain(
      '<oc:share-type>0</oc:share-type>',
    );
  });

  it.each([
    [31, 201, 204, 204, 201, 'SRDNVCK', 'SRDNVW', '31'],
    [15, 201, 204, 204, 201, 'SDNVCK', 'SDNVW', '15'],
    [1, 403, 403, 403, 403, 'SDNV', 'S', '1'],
    [17, 403, 403, 403, 403, 'SRDNV', 'SR', '17'],
    [5, 201, 403, 403, 403, 'SDNVCK', 'S', '5'],
    [3, 403, 204, 403, 201, 'SDNV', 'SNVW', '3'],
  ])(
    'with permissions %i allows exactly these',
    async (permissions, create, update, remove, rename, letters, fileLetters, sharePermissions) => {
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
    },
  );

  it('for uploads only accepts files, and shows none', async () => {
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

  it('that is pending, was declined or has ended is not in the tree', async () => {
    for (const name of ['pending', 'declined', 'over', 'lasting']) await put(alice, `/${name}`);
    await files.share({ path: '/pending', owner: alice, recipient: brian, state: 1 });
    await files.share({ path: '/declined', owner: alice, recipient: brian, state: 2 });
    await files.share({ path: '/over', owner: alice, recipient: brian, expiresOn: '2001-01-01' });
    await files.share({ path: '/lasting', owner: alice, recipient: brian, expiresOn: '2999-01-01' });
    expect(await listed(brian, '/')).toEqual(['/', '/lasting']);
  });

  it('disappears immediately after its deletion', async () => {
    await put(alice, '/f.txt');
    const id = await files.share({ path: '/f.txt', owner: alice, recipient: brian });
    expect(await text(brian, '/f.txt')).toBe('x');
    await files.database.dataSource.query('DELETE FROM share WHERE id = $1', [id]);
    expect(await seen(brian, '/f.txt')).toBe(false);
  });

  it('gets the number at the end of its name if it is a folder, which has no extension', async () => {
    for (const uid of [alice, brian, carol]) await files.dav('MKCOL', uid, '/v1.2');
    for (const owner of [alice, brian]) await files.share({ path: '/v1.2', owner, recipient: carol });
    expect(await listed(carol, '/')).toEqual(['/', '/v1.2/', '/v1.2 (2)/', '/v1.2 (3)/']);
  });

  it('gets another name if its name is taken', async () => {
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

  it('is placed in the root folder if its folder is not possible', async () => {
    await put(alice, '/f.txt');
    await put(brian, '/Shares', 'a file');
    await files.share({ path: '/f.txt', owner: alice, recipient: brian, target: '/Shares/f.txt' });
    expect(await seen(brian, '/f.txt')).toBe(true);
  });

  it.each([
    '/../f.txt',
    '/a\u0007b/f.txt',
    `/${'n'.repeat(300)}/f.txt`,
    `${`/${'d'.repeat(250)}`.repeat(15)}/f.txt`,
  ])('is placed in the root if the folder of %j cannot be created', async (target) => {
    await put(alice, '/f.txt');
    await files.share({ path: '/f.txt', owner: alice, recipient: brian, target });
    expect(await listed(brian, '/')).toEqual(['/', '/f.txt']);
  });

  it('through several shares of one node is one entry with all their permissions', async () => {
    await folder(alice, '/merge');
    await files.addGroup(`group${run}`, brian, carol);
    await files.share({
      path: '/merge',
      owner: alice,
      recipient: `group${run}`,
      group: true,
      permissions: 1,
    });
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
});
