import { RuntimeSettings } from '#settings';
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

/** Brian shares /theirs with Alice. Alice shares her /mine, which contains a file, with Carol and by a link. */
beforeEach(async () => {
  run++;
  [alice, brian, carol] = [`alice${run}`, `brian${run}`, `carol${run}`];
  await files.addUsers(alice, brian, carol);
  await files.dav('MKCOL', brian, '/theirs');
  await files.dav('MKCOL', alice, '/mine');
  await files.dav('PUT', alice, '/mine/file.txt', { body: 'of alice' });
  await files.share({ path: '/theirs', owner: brian, recipient: alice });
  await files.dav('PROPFIND', alice, '/');
});

const status = async (reply: Promise<Response>): Promise<number> => (await reply).status;
const move = (uid: string, from: string, to: string): Promise<number> =>
  status(files.transfer('MOVE', uid, from, to));
const text = async (uid: string, path: string): Promise<string> => (await files.dav('GET', uid, path)).text();

async function owners(): Promise<{ owner_uid: string; initiator_uid: string; recipient: string | null }[]> {
  return files.database.dataSource.query(
    `SELECT s.owner_uid, s.initiator_uid, s.recipient FROM share s JOIN node n ON n.id = s.node_id
     WHERE n.name <> 'theirs' AND s.initiator_uid IN ($1, $2) ORDER BY s.id`,
    [alice, brian],
  );
}

describe('shares of a node that moves between own files and a received share', () => {
  it('remain: recipients read and write the same file after each move', async () => {
    await files.share({ path: '/mine', owner: alice, recipient: carol });
    const { token } = await files.link({ path: '/mine', owner: alice });
    const linked = async (): Promise<string> =>
      (await fetch(`${files.url}/remote.php/dav/public-files/${token}/file.txt`)).text();
    await files.dav('PROPFIND', carol, '/');
    const id = await files.property(carol, '/mine/file.txt', 'oc:fileid');

    expect(await move(alice, '/mine', '/theirs/mine')).toBe(201);
    expect(await owners()).toEqual([
      { owner_uid: brian, initiator_uid: alice, recipient: carol },
      { owner_uid: brian, initiator_uid: alice, recipient: null },
    ]);
    expect(await status(files.dav('PUT', carol, '/mine/file.txt', { body: 'of carol' }))).toBe(204);
    expect([await text(brian, '/theirs/mine/file.txt'), await linked()]).toEqual(['of carol', 'of carol']);

    expect(await move(alice, '/theirs/mine', '/back')).toBe(201);
    expect((await owners()).map(({ owner_uid: owner }) => owner)).toEqual([alice, alice]);
    expect([await text(carol, '/mine/file.txt'), await linked()]).toEqual(['of carol', 'of carol']);
    expect(await files.property(carol, '/mine/file.txt', 'oc:fileid')).toBe(id);
  });

  it('remain for nodes inside of a moved folder', async () => {
    await files.share({ path: '/mine/file.txt', owner: alice, recipient: carol, permissions: 19 });
    await files.dav('PROPFIND', carol, '/');
    expect(await move(alice, '/mine', '/theirs/mine')).toBe(201);
    expect(await text(carol, '/file.txt')).toBe('of alice');
  });

  it('end for a recipient who becomes the owner and has the file in their own tree', async () => {
    const group = `team-${run}`;
    await files.addGroup(group, brian, carol);
    await files.share({ path: '/mine', owner: alice, recipient: brian });
    await files.share({ path: '/mine', owner: alice, recipient: group, group: true });
    for (const uid of [brian, carol]) await files.dav('PROPFIND', uid, '/');
    expect(await move(alice, '/mine', '/theirs/mine')).toBe(201);
    expect(await owners()).toEqual([{ owner_uid: brian, initiator_uid: alice, recipient: group }]);
    expect(await status(files.dav('PROPFIND', brian, '/mine'))).toBe(404);
    expect(await text(brian, '/theirs/mine/file.txt')).toBe('of alice');
    expect(await text(carol, '/mine/file.txt')).toBe('of alice');
  });

  it('grant no more than their initiator’s permissions, if reshares follow', async () => {
    await files.get(RuntimeSettings).set('files_sharing', 'reshares_without_access', 'follow');
    try {
      const id = await files.share({ path: '/mine', owner: alice, recipient: carol });
      await files.database.dataSource.query(
        'UPDATE share SET permissions = 21 WHERE owner_uid = $1 AND initiator_uid = $1',
        [brian],
      );
      expect(await move(alice, '/mine', '/theirs/mine')).toBe(201);
      const permissions = 'SELECT permissions FROM share WHERE id = $1';
      expect(await files.database.dataSource.query(permissions, [id])).toEqual([{ permissions: 21 }]);
    } finally {
      await files.get(RuntimeSettings).unset('files_sharing', 'reshares_without_access');
    }
  });
});
