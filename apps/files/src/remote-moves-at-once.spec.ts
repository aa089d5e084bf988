import { UnfinishedCopies } from '#storage';
import { FilesApp } from '../../../libs/testing/src/rigs/files-app';
import { FakeRemoteFiles } from '../../../libs/testing/src/fakes/fake-remote-files';
import { eventually } from '../../../libs/testing/src/waiting';

let files: FilesApp;
const partner = new FakeRemoteFiles();
let run = 0;
let brian: string;
let there: string;

beforeAll(async () => {
  files = await FilesApp.start(partner);
});
afterAll(() => files.stop());
beforeEach(async () => {
  run++;
  [brian, there] = [`brian${run}`, `share-${run}`];
  await files.addUsers(brian);
  partner.set(there, '/sub', null);
  for (const name of ['a', 'b']) partner.set(there, `/sub/${name}.txt`, `content of ${name}`);
  await files.receive({ providerId: there, recipient: brian, target: '/There' });
});

const status = async (reply: Promise<Response>): Promise<number> => (await reply).status;
const text = async (path: string): Promise<string> => (await files.dav('GET', brian, path)).text();

const readsOf = (name: string): boolean => partner.calls.includes(`read ${there} /sub/${name}.txt`);

/** A move whose first file has arrived, and which waits for the second. @returns lets it go on, with its status */
async function moveHalfWay(): Promise<() => Promise<number>> {
  const readFirst = partner.holdNext('read');
  const moved = status(files.transfer('MOVE', brian, '/There/sub', '/mine'));
  await eventually('the read of the first file', () => readsOf('a'));
  const readSecond = partner.holdNext('read');
  readFirst();
  await eventually('the read of the second file', () => readsOf('b'));
  return () => {
    readSecond();
    return moved;
  };
}

it('a move that is sent a second time while the first runs leaves the files at their destination', async () => {
  const first = await moveHalfWay();
  const again = files.transfer('MOVE', brian, '/There/sub', '/mine', { overwrite: 'T' });
  expect(await status(again)).toBe(204);
  expect(partner.paths(there)).toEqual([]);
  expect(await first()).toBeGreaterThanOrEqual(400);
  expect([await text('/mine/a.txt'), await text('/mine/b.txt')]).toEqual(['content of a', 'content of b']);
});

it('a move that fails removes no folder that has taken the place of its own', async () => {
  const goOn = await moveHalfWay();
  await files.dav('DELETE', brian, '/mine');
  await files.dav('MKCOL', brian, '/mine');
  await files.dav('PUT', brian, '/mine/new.txt', { body: 'new' });
  partner.drop(there, '/sub/b.txt');
  expect(await goOn()).toBeGreaterThanOrEqual(400);
  expect(await text('/mine/new.txt')).toBe('new');
});

it('a move keeps its source if another folder has taken the place of its destination', async () => {
  const goOn = await moveHalfWay();
  await files.dav('DELETE', brian, '/mine');
  await files.dav('MKCOL', brian, '/mine');
  expect(await goOn()).toBe(409);
  expect(partner.paths(there)).toEqual(['/sub', '/sub/a.txt', '/sub/b.txt']);
});

it('a move whose source changes at its end says that both are there', async () => {
  partner.changeAfterRead(there, '/sub/a.txt', 'newer content');
  const reply = await files.transfer('MOVE', brian, '/There/sub/a.txt', '/a.txt');
  expect(reply.status).toBe(409);
  expect(await reply.text()).toContain('it stays, and the destination has a copy from before the change');
  expect([await text('/There/sub/a.txt'), await text('/a.txt')]).toEqual(['newer content', 'content of a']);
});

describe.each(['MOVE', 'COPY'] as const)('%s over an entry between servers', (method) => {
  const over = (from: string, to: string): Promise<number> =>
    status(files.transfer(method, brian, from, to, { overwrite: 'T' }));
  const listed = async (path: string): Promise<string[]> => {
    const reply = await files.dav('PROPFIND', brian, path, { headers: { depth: '1' } });
    const hrefs = [...(await reply.text()).matchAll(/<d:href>(.*?)<\/d:href>/g)];
    return hrefs.map((match) => match[1]!.slice('/remote.php/webdav'.length)).slice(1);
  };
  const trashed = (): Promise<unknown[]> =>
    files.database.dataSource.query(
      `SELECT FROM trashed_node t JOIN node n ON n.id = t.node_id WHERE n.owner_uid = $1`,
      [brian],
    );
  beforeEach(async () => {
    await files.dav('MKCOL', brian, '/mine');
    await files.dav('PUT', brian, '/mine/old.txt', { body: 'old' });
    await files.dav('PUT', brian, '/file.txt', { body: 'file' });
  });

  it('replaces a folder here when all of the new one has arrived', async () => {
    expect(await over('/There/sub', '/mine')).toBe(204);
    expect(await listed('/mine')).toEqual(['/mine/a.txt', '/mine/b.txt']);
    expect(await trashed()).toHaveLength(1);
    expect((await listed('/')).sort()).toEqual(['/There/', '/file.txt', '/mine/']);
  });

  it('leaves a folder here as it was if the new one does not arrive', async () => {
    partner.fail('unreachable', 'read');
    try {
      expect(await over('/There/sub', '/mine')).toBe(503);
    } finally {
      partner.fail(undefined, 'read');
    }
    expect(await listed('/mine')).toEqual(['/mine/old.txt']);
    expect(await trashed()).toEqual([]);
    expect((await listed('/')).sort()).toEqual(['/There/', '/file.txt', '/mine/']);
  });

  it('replaces a folder at the partner when all of the new one has arrived', async () => {
    expect(await over('/mine', '/There/sub')).toBe(204);
    expect(partner.paths(there)).toEqual(['/sub', '/sub/old.txt']);
    expect(await listed('/There')).toEqual(['/There/sub/']);
  });

  it('leaves a folder at the partner as it was if the new entry does not arrive', async () => {
    for (const from of ['/mine', '/file.txt']) {
      partner.fail('no-space', 'write');
      try {
        expect(await over(from, '/There/sub')).toBeGreaterThanOrEqual(400);
      } finally {
        partner.fail(undefined, 'write');
      }
      expect(partner.paths(there)).toEqual(['/sub', '/sub/a.txt', '/sub/b.txt']);
    }
    expect(await text('/mine/old.txt')).toBe('old');
    expect(await over('/file.txt', '/There/sub')).toBe(204);
    expect(partner.paths(there)).toEqual(['/sub']);
    expect(partner.content(there, '/sub')).toBe('file');
  });

  const removeDead = () => files.get(UnfinishedCopies).removeDead();
  const asIfItsProcessDied = (): Promise<unknown> =>
    files.database.dataSource.query(`UPDATE unfinished_copy SET seen_at = now() - interval '11 minutes'`);
  const unfinished = (): Promise<unknown[]> => files.database.dataSource.query('SELECT FROM unfinished_copy');

  it('leaves no remains here if its process dies', async () => {
    const goOn = partner.holdNext('read');
    const reply = over('/There/sub', '/mine');
    await eventually('the read', () => readsOf('a'));
    const [aside] = (await listed('/')).filter((path) => path.startsWith('/.incoming-'));
    await removeDead();
    expect(await listed('/')).toContain(aside);
    await asIfItsProcessDied();
    expect(await removeDead()).toBeGreaterThan(0);
    expect((await listed('/')).sort()).toEqual(['/There/', '/file.txt', '/mine/']);
    expect(await trashed()).toEqual([]);
    goOn();
    expect(await reply).toBeGreaterThanOrEqual(400);
    expect(await listed('/mine')).toEqual(['/mine/old.txt']);
    expect(await unfinished()).toEqual([]);
  });

  it('leaves no remains at the partner if it fails there', async () => {
    partner.fail('no-space', 'write');
    partner.fail('unreachable', 'remove');
    try {
      expect(await over('/mine', '/There/sub')).toBeGreaterThanOrEqual(400);
      await asIfItsProcessDied();
      await removeDead();
    } finally {
      for (const operation of ['write', 'remove'] as const) partner.fail(undefined, operation);
    }
    expect(partner.paths(there)).toHaveLength(4);
    await removeDead();
    expect(partner.paths(there)).toHaveLength(4);
    await asIfItsProcessDied();
    await removeDead();
    expect(partner.paths(there)).toEqual(['/sub', '/sub/a.txt', '/sub/b.txt']);
    expect(await listed('/There')).toEqual(['/There/sub/']);
    expect(await unfinished()).toEqual([]);
  });
});
