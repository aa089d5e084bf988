import { FilesApp } from '../../../libs/testing/src/rigs/files-app';
import { LockClient } from '../../../libs/testing/src/rigs/lock-client';

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

  describe('are found by the decomposed form', () => {
    const file = `${DECOMPOSED_FOLDER}/${DECOMPOSED}`;
    const send = (method: string, address: string, headers: Record<string, string> = {}): Promise<Response> =>
      fetch(files.url + encodeURI(address), {
        method,
        headers: { authorization: files.authorizationOf(alice), ...headers },
      });
    const destination = (path: string) => ({
      destination: files.url + encodeURI(`/remote.php/dav/files/${alice}${path}`),
    });
    const hrefs = async (address: string): Promise<string[]> => {
      const reply = await send('PROPFIND', address, { depth: '1' });
      const found = [...(await reply.text()).matchAll(/<d:href>([^<]*)</g)];
      return found.slice(1).map(([, href]) => decodeURI(href!));
    };

    beforeEach(async () => {
      await files.dav('MKCOL', alice, FOLDER);
      await put(file, 'one');
      await put(file, 'two');
    });

    it('when a version is restored', async () => {
      const [row] = await files.database.dataSource.query<{ id: number }[]>(
        `SELECT id FROM node WHERE owner_uid = $1 AND name = $2`,
        [alice, COMPOSED],
      );
      const [version] = await hrefs(`/remote.php/dav/meta/${row!.id}/v`);
      expect((await send('COPY', version!, destination(file))).status).toBe(204);
      expect(await text(file)).toBe('one');
    });

    it('when a file is restored from the trash bin', async () => {
      await files.dav('DELETE', alice, file);
      const [entry] = await hrefs(`/remote.php/dav/trash-bin/${alice}`);
      expect((await send('MOVE', entry!, destination(`${DECOMPOSED_FOLDER}/a${DECOMPOSED}`))).status).toBe(
        201,
      );
      expect((await names()).sort()).toEqual([FOLDER.slice(1), `a${COMPOSED}`].sort());
    });

    it('when an archive has chosen entries, once each', async () => {
      const chosen = JSON.stringify([DECOMPOSED, COMPOSED]);
      const reply = await send('GET', `/remote.php/dav/files/${alice}${FOLDER}?accept=tar&files=${chosen}`);
      expect(reply.status).toBe(200);
      expect((await reply.text()).split('two')).toHaveLength(2);
    });

    it('when files are searched', async () => {
      const pattern = DECOMPOSED.slice(0, 4);
      const body = `<oc:search-files xmlns:oc="http://owncloud.org/ns" xmlns:d="DAV:"><d:prop/><oc:search><oc:pattern>${pattern}</oc:pattern></oc:search></oc:search-files>`;
      const reply = await files.dav('REPORT', alice, '/', { body });
      expect(await reply.text()).toContain(encodeURIComponent(COMPOSED));
    });

    it('in an If header, and as the destination that it concerns', async () => {
      const client = new LockClient(files, alice);
      const token = await client.lock(file);
      const tagged = {
        if: `<${files.url}${encodeURI(`/remote.php/dav/files/${alice}${file}`)}> (<${token}>)`,
      };
      expect(await client.status('PUT', file, tagged, 'three')).toBe(204);
      await files.dav('MKCOL', alice, `${FOLDER}/\u00e9`);
      const ofFolder = await client.lock(`${FOLDER}/\u00e9`);
      const to = `${DECOMPOSED_FOLDER}/e\u0301/plain.txt`;
      await put('/plain.txt', 'plain');
      expect(await client.move('/plain.txt', to, { if: `(<${ofFolder}>)` })).toBe(201);
    });
  });

  it('are composed when visitors of a link send them by its form', async () => {
    await files.dav('MKCOL', alice, '/folder');
    const { token } = await files.link({ path: '/folder', owner: alice, permissions: 15 });
    const body = new FormData();
    body.append('file', new Blob(['sent']), DECOMPOSED);
    expect((await fetch(`${files.url}/s/${token}/files`, { method: 'POST', body })).status).toBe(200);
    expect(await names()).toEqual(['folder', COMPOSED]);
    const preview = `${files.url}/index.php/apps/files_sharing/publicpreview/${token}?file=`;
    expect((await fetch(preview + encodeURIComponent(DECOMPOSED))).status).toBe(200);
  });

  it('are looked up in a folder that was stored decomposed', async () => {
    await files.dav('MKCOL', alice, '/folder');
    await store('folder', DECOMPOSED_FOLDER.slice(1));
    expect(await put(`${DECOMPOSED_FOLDER}/${DECOMPOSED}`, 'inside')).toBe(201);
    expect(await names()).toEqual([DECOMPOSED_FOLDER.slice(1), COMPOSED]);
    expect(await text(`${DECOMPOSED_FOLDER}/${DECOMPOSED}`)).toBe('inside');
  });
});
