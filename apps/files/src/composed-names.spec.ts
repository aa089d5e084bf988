import { FilesApp } from '../../../libs/testing/src/rigs/files-app';

const COMPOSED = 'gr\u00f6\u00dfe.txt';
const DECOMPOSED = COMPOSED.normalize('NFD');
const [FOLDER, DECOMPOSED_FOLDER] = ['/\u00fcber', '/\u00fcber'.normalize('NFD')] as const;

let files: FilesApp;
let run = 0;
let alice: string;

beforeAll(async () => {
  files = await FilesApp.start();
});
afterAll(() => files.stop());
beforeEach(async () => {
  alice = `alice${++run}`;
  await files.addUsers(alice);
  await files.dav('PROPFIND', alice, '/');
});

const put = async (path: string, body: string): Promise<number> =>
  (await files.dav('PUT', alice, path, { body })).status;
const text = async (path: string): Promise<string> => (await files.dav('GET', alice, path)).text();
const names = async (): Promise<string[]> => {
  const rows = await files.database.dataSource.query<{ name: string }[]>(
    `SELECT name FROM node WHERE owner_uid = $1 AND parent_id IS NOT NULL ORDER BY id`,
    [alice],
  );
  return rows.map(({ name }) => name);
};
/** Stores a name as older versions did, before names were composed. */
const store = async (from: string, to: string): Promise<void> => {
  await files.database.dataSource.query(
    `UPDATE node SET name = $3, path = '/' || $3 WHERE owner_uid = $1 AND path = '/' || $2`,
    [alice, from, to],
  );
};

describe('names with combining characters', () => {
  it('are stored in the composed form, and found in both forms', async () => {
    expect(await put(`/${DECOMPOSED}`, 'one')).toBe(201);
    expect(await names()).toEqual([COMPOSED]);
    expect([await text(`/${COMPOSED}`), await text(`/${DECOMPOSED}`)]).toEqual(['one', 'one']);
    expect(await put(`/${DECOMPOSED}`, 'two')).toBe(204);
    const reply = await files.dav('PROPFIND', alice, `/${DECOMPOSED}`, { headers: { depth: '0' } });
    expect(await reply.text()).toContain(encodeURIComponent(COMPOSED));
  });

  it('are composed when folders are made and entries are moved and copied', async () => {
    expect((await files.dav('MKCOL', alice, DECOMPOSED_FOLDER)).status).toBe(201);
    expect(await put('/plain.txt', 'plain')).toBe(201);
    for (const [method, name] of [
      ['COPY', `a${DECOMPOSED}`],
      ['MOVE', DECOMPOSED],
    ] as const)
      expect((await files.transfer(method, alice, '/plain.txt', `${DECOMPOSED_FOLDER}/${name}`)).status).toBe(
        201,
      );
    expect((await names()).sort()).toEqual([FOLDER.slice(1), `a${COMPOSED}`, COMPOSED].sort());
    expect(await text(`${FOLDER}/${COMPOSED}`)).toBe('plain');
  });

  it('stay reachable if stored decomposed, alone or next to the composed one', async () => {
    await put('/first', 'decomposed');
    await store('first', DECOMPOSED);
    expect(await text(`/${DECOMPOSED}`)).toBe('decomposed');
    expect((await files.dav('GET', alice, `/${COMPOSED}`)).status).toBe(404);
    await put('/second', 'composed');
    await store('second', COMPOSED);
    expect([await text(`/${DECOMPOSED}`), await text(`/${COMPOSED}`)]).toEqual(['decomposed', 'composed']);
    expect(await put(`/${DECOMPOSED}`, 'changed')).toBe(204);
    expect([await text(`/${DECOMPOSED}`), await text(`/${COMPOSED}`)]).toEqual(['changed', 'composed']);
    expect((await files.dav('DELETE', alice, `/${DECOMPOSED}`)).status).toBe(204);
    expect(await names()).toEqual([COMPOSED]);
  });

  it('are looked up in a folder that was stored decomposed', async () => {
    await files.dav('MKCOL', alice, '/folder');
    await store('folder', DECOMPOSED_FOLDER.slice(1));
    expect(await put(`${DECOMPOSED_FOLDER}/${DECOMPOSED}`, 'inside')).toBe(201);
    expect(await names()).toEqual([DECOMPOSED_FOLDER.slice(1), COMPOSED]);
    expect(await text(`${DECOMPOSED_FOLDER}/${DECOMPOSED}`)).toBe('inside');
  });
});
