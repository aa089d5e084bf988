import { createHash } from 'node:crypto';
import { TrashBin } from '#storage';
import { FilesApp } from '../../libs/testing/src/rigs/files-app';
import { storageProblems } from '../../libs/testing/src/rigs/storage-problems';
import { seededRandom } from './seeded-random';
import { TreeModel } from './tree-model';

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
const STEPS = 600;
const NAMES = ['a', 'b', 'c'];

jest.setTimeout(600_000);

let files: FilesApp;
beforeAll(async () => {
  files = await FilesApp.start();
  await files.addUsers('alice', 'brian');
});
afterAll(() => files.stop());

const query = <T>(sql: string, ...values: unknown[]): Promise<T[]> =>
  files.database.dataSource.query(sql, values);
const digest = (content: string): string => createHash('sha1').update(content).digest('hex');

/** The same lines as the model's, of what the gateway has. */
async function storedLines(): Promise<string[]> {
  const rows = await query<{ line: string }>(
    `SELECT CASE WHEN t.node_id IS NULL THEN n.path
         ELSE 'trash ' || t.node_id || ' ' || t.folder_path || '/' || t.name || substr(n.path, char_length('~' || t.node_id) + 1) END
       || CASE n.kind WHEN 'folder' THEN '/' ELSE ' ' || substring(n.checksum FROM 'SHA1:([0-9a-f]+)') END AS line
     FROM node n
     LEFT JOIN trashed_node t ON starts_with(n.path, '~') AND t.node_id::text = substr(split_part(n.path, '/', 1), 2)
     WHERE n.owner_uid = 'alice' AND n.path <> ''`,
  );
  return rows.map((row) => row.line).sort();
}

async function idOf(path: string): Promise<number | undefined> {
  const rows = await query<{ id: number }>(
    `SELECT id FROM node WHERE owner_uid = 'alice' AND path = $1`,
    path,
  );
  return rows[0] && Number(rows[0].id);
}

it(`a tree and its trash bin are what a plain model says, whoever changes them (SEED=${seed})`, async () => {
  const random = seededRandom(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const model = new TreeModel();
  const anyPath = (): string =>
    `/shared${Array.from({ length: 1 + Math.floor(random() * 3) }, () => `/${pick(NAMES)}`).join('')}`;
  const knownPath = (): string => pick([...model.paths().filter((path) => path !== '/shared'), anyPath()]);
  const ok = async (reply: Promise<Response>): Promise<boolean> => (await reply).ok;

  await files.dav('MKCOL', 'alice', '/shared');
  model.put('/shared', null);
  await files.share({ path: '/shared', owner: 'alice', recipient: 'brian' });
  const { token } = await files.link({ path: '/shared', owner: 'alice', permissions: 15 });
  const visitor = (method: string, path: string): Promise<Response> =>
    fetch(`${files.url}/remote.php/dav/public-files/${token}${path.slice('/shared'.length)}`, { method });

  const steps: Record<string, () => Promise<void>> = {
    put: async () => {
      const [path, content] = [knownPath(), String(random())];
      if (await ok(files.dav('PUT', pick(['alice', 'brian']), path, { body: content })))
        model.put(path, digest(content));
    },
    folder: async () => {
      const path = anyPath();
      if (await ok(files.dav('MKCOL', pick(['alice', 'brian']), path))) model.put(path, null);
    },
    remove: async () => {
      const path = knownPath();
      const id = await idOf(path);
      const by = pick(['alice', 'brian', 'visitor']);
      if (await ok(by === 'visitor' ? visitor('DELETE', path) : files.dav('DELETE', by, path)))
        model.remove(path, id!);
    },
    transfer: async () => {
      const [from, to, method] = [knownPath(), knownPath(), pick(['MOVE', 'COPY'] as const)];
      const replaced = await idOf(to);
      if (!(await ok(files.transfer(method, pick(['alice', 'brian']), from, to, { overwrite: 'T' })))) return;
      if (method === 'MOVE') model.move(from, to, replaced);
      else model.copy(from, to, replaced);
    },
    restore: async () => {
      const [id, to] = [pick([...model.trashed(), 0]), knownPath()];
      const replaced = await idOf(to);
      const headers = { authorization: files.authorizationOf('alice'), destination: files.addressOf(to) };
      const reply = fetch(`${files.url}/remote.php/dav/trash-bin/alice/${id}`, { method: 'MOVE', headers });
      if (await ok(reply)) model.restore(id, to, replaced);
    },
    purge: async () => {
      const id = pick([...model.trashed(), 0]);
      if (id === 0) return;
      await files.get(TrashBin).remove('alice', id);
      model.purge(id);
    },
  };
  const kinds = [
    'put',
    'put',
    'folder',
    'remove',
    'remove',
    'transfer',
    'transfer',
    'restore',
    'restore',
    'purge',
  ];
  for (let step = 0; step < STEPS; step++) {
    const kind = pick(kinds);
    await steps[kind]!();
    if (step % 20 === 0) expect([step, kind, await storedLines()]).toEqual([step, kind, model.lines()]);
  }
  expect(await storedLines()).toEqual(model.lines());

  expect(await storageProblems(files)).toEqual([]);
  const contents = await query(
    `SELECT blob_key FROM node WHERE kind = 'file' UNION ALL SELECT blob_key FROM file_version`,
  );
  expect(files.storedFiles().length).toBe(contents.length);
});
