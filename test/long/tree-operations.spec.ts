import { createHash } from 'node:crypto';
import { RuntimeSettings } from '#settings';
import { TrashBin } from '#storage';
import { FilesApp } from '../../libs/testing/src/rigs/files-app';
import { storageProblems } from '../../libs/testing/src/rigs/storage-problems';
import { seededRandom } from './seeded-random';
import { TreeModel } from './tree-model';
import { isFullForm } from '../../libs/testing/src/full-form';

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
const STEPS = isFullForm ? 6000 : 800;
const NAMES = ['a', 'b', 'c'];
const LOCK_BODY =
  '<d:lockinfo xmlns:d="DAV:"><d:lockscope><d:exclusive/></d:lockscope><d:locktype><d:write/></d:locktype></d:lockinfo>';

jest.setTimeout(30 * 60_000);

let files: FilesApp;
beforeAll(async () => {
  files = await FilesApp.start();
  await files.addUsers('alice', 'brian');
  // Versions are not thinned out during the test.
  await files.get(RuntimeSettings).set('system', 'versions_retention_obligation', 'disabled');
});
afterAll(() => files.stop());

const query = <T>(sql: string, ...values: unknown[]): Promise<T[]> =>
  files.database.dataSource.query(sql, values);
const digest = (content: string): string => createHash('sha1').update(content).digest('hex');

/** The same lines as the model's, from the gateway. */
async function storedLines(): Promise<string[]> {
  const sha1 = (column: string): string => `substring(${column} FROM 'SHA1:([0-9a-f]+)')`;
  const rows = await query<{ line: string }>(
    `SELECT CASE WHEN t.node_id IS NULL THEN n.path
         ELSE 'trash ' || t.node_id || ' ' || t.folder_path || '/' || t.name || substr(n.path, char_length('~' || t.node_id) + 1) END
       || CASE n.kind WHEN 'folder' THEN '/' ELSE ' ' || ${sha1('n.checksum')} END
       || coalesce((SELECT string_agg(' ' || ${sha1('v.checksum')}, '' ORDER BY v.id) FROM file_version v WHERE v.node_id = n.id), '') AS line
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

it(`a tree with trash bin and versions equals a plain model, for changes by all kinds of users (SEED=${seed})`, async () => {
  const random = seededRandom(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const model = new TreeModel(digest(''));
  const anyPath = (): string =>
    `/shared${Array.from({ length: 1 + Math.floor(random() * 3) }, () => `/${pick(NAMES)}`).join('')}`;
  const knownPath = (): string => pick([...model.paths().filter((path) => path !== '/shared'), anyPath()]);
  /** A change that is refused for one part of a folder is refused for the whole folder. */
  const ok = async (reply: Promise<Response>): Promise<boolean> => {
    const { ok: isDone, status } = await reply;
    return isDone && status !== 207;
  };
  const done: Record<string, number> = {};

  await files.dav('MKCOL', 'alice', '/shared');
  model.addFolder('/shared');
  await files.share({ path: '/shared', owner: 'alice', recipient: 'brian' });
  const { token } = await files.link({ path: '/shared', owner: 'alice', permissions: 15 });
  /** The place of the share for the recipient. */
  let mount = '/shared';
  const locks: { readonly uid: string; readonly path: string; readonly token: string }[] = [];

  type Actor = 'alice' | 'brian' | 'visitor';
  const addressFor = (actor: Actor, path: string): string => {
    const below = path.slice('/shared'.length);
    if (actor === 'visitor') return `${files.url}/remote.php/dav/public-files/${token}${below}`;
    return files.addressOf(actor === 'alice' ? path : mount + below);
  };
  const send = (
    actor: Actor,
    method: string,
    path: string,
    { body, ...headers }: Record<string, string> = {},
  ): Promise<Response> =>
    fetch(addressFor(actor, path), {
      method,
      headers: { ...(actor !== 'visitor' && { authorization: files.authorizationOf(actor) }), ...headers },
      body,
    });
  const anyone = (): Actor => pick(['alice', 'brian', 'visitor']);
  const user = (): 'alice' | 'brian' => pick(['alice', 'brian']);

  /** A version of a file, and its address. */
  const anyVersion = async (): Promise<
    { path: string; age: number; id: number; fileId: number } | undefined
  > => {
    const path = knownPath();
    const fileId = await idOf(path);
    const versions = await query<{ id: string }>(
      'SELECT id FROM file_version WHERE node_id = $1 ORDER BY id',
      fileId ?? 0,
    );
    if (versions.length === 0) return undefined;
    const age = Math.floor(random() * versions.length);
    return { path, age, id: Number(versions[age]!.id), fileId: fileId! };
  };

  // Each operation returns whether the gateway did it.
  const steps: Record<string, () => Promise<boolean>> = {
    write: async () => {
      const [path, content] = [knownPath(), String(random())];
      const isDone = await ok(send(anyone(), 'PUT', path, { body: content }));
      if (isDone) model.write(path, digest(content));
      return isDone;
    },
    addFolder: async () => {
      const path = anyPath();
      const isDone = await ok(send(anyone(), 'MKCOL', path));
      if (isDone) model.addFolder(path);
      return isDone;
    },
    remove: async () => {
      const path = knownPath();
      const id = await idOf(path);
      const isDone = await ok(send(anyone(), 'DELETE', path));
      if (isDone) model.remove(path, id!);
      return isDone;
    },
    transfer: async () => {
      const [from, to, method] = [knownPath(), knownPath(), pick(['MOVE', 'COPY'] as const)];
      const [replaced, actor] = [await idOf(to), anyone()];
      const headers = { destination: addressFor(actor, to), overwrite: pick(['T', 'T', 'F']) };
      const isDone = await ok(send(actor, method, from, headers));
      if (!isDone) return false;
      if (method === 'MOVE') model.move(from, to, replaced);
      else model.copy(from, to, replaced);
      return true;
    },
    restore: async () => {
      const [id, to] = [pick([...model.trashed(), 0]), knownPath()];
      const replaced = await idOf(to);
      const headers = { authorization: files.authorizationOf('alice'), destination: files.addressOf(to) };
      const reply = fetch(`${files.url}/remote.php/dav/trash-bin/alice/${id}`, { method: 'MOVE', headers });
      const isDone = await ok(reply);
      if (isDone) model.restore(id, to, replaced);
      return isDone;
    },
    purge: async () => {
      const id = pick([...model.trashed(), 0]);
      if (id === 0) return false;
      await files.get(TrashBin).remove('alice', id);
      model.purge(id);
      return true;
    },
    restoreVersion: async () => {
      const [version, uid] = [await anyVersion(), user()];
      if (!version) return false;
      const { path, age, id, fileId } = version;
      const headers = { authorization: files.authorizationOf(uid), destination: addressFor(uid, path) };
      const at = `${files.url}/remote.php/dav/meta/${fileId}/v/${id}`;
      const isDone = await ok(fetch(at, { method: 'COPY', headers }));
      if (isDone) model.restoreVersion(path, age);
      return isDone;
    },
    removeVersion: async () => {
      const [version, uid] = [await anyVersion(), user()];
      if (!version) return false;
      const headers = { authorization: files.authorizationOf(uid) };
      const at = `${files.url}/remote.php/dav/versions/${uid}/versions/${version.fileId}/${version.id}`;
      const isDone = await ok(fetch(at, { method: 'DELETE', headers }));
      expect(isDone).toBe(uid === 'alice');
      if (isDone) model.removeVersion(version.path, version.age);
      return isDone;
    },
    lock: async () => {
      const [uid, path] = [user(), knownPath()];
      const reply = await send(uid, 'LOCK', path, { body: LOCK_BODY, depth: pick(['0', 'infinity']) });
      if (!reply.ok || reply.status === 207) return false;
      // A lock at a free path creates an empty file.
      if (reply.status === 201) model.write(path, digest(''));
      locks.push({ uid, path, token: reply.headers.get('lock-token')! });
      return true;
    },
    unlock: async () => {
      const [lock] = locks.splice(Math.floor(random() * locks.length), 1);
      return (
        lock !== undefined && ok(send(lock.uid as Actor, 'UNLOCK', lock.path, { 'lock-token': lock.token }))
      );
    },
    moveMount: async () => {
      const to = mount === '/shared' ? '/mine' : '/shared';
      const isDone = await ok(files.transfer('MOVE', 'brian', mount, to));
      if (isDone) mount = to;
      return isDone;
    },
  };
  const OFTEN = [
    'write',
    'write',
    'write',
    'remove',
    'transfer',
    'transfer',
    'restore',
    'restoreVersion',
    'unlock',
  ];
  const kinds = [...Object.keys(steps), ...OFTEN, ...OFTEN];
  for (let step = 0; step < STEPS; step++) {
    const kind = pick(kinds);
    if (await steps[kind]!()) done[kind] = (done[kind] ?? 0) + 1;
    if (step % 10 === 0) expect([step, kind, await storedLines()]).toEqual([step, kind, model.lines()]);
  }
  expect(await storedLines()).toEqual(model.lines());
  // Without enough successes, the comparison proves little.
  expect(Object.keys(steps).filter((kind) => !done[kind])).toEqual([]);

  expect(await storageProblems(files)).toEqual([]);
  const contents = await query(
    `SELECT blob_key FROM node WHERE kind = 'file' UNION ALL SELECT blob_key FROM file_version`,
  );
  expect(files.storedFiles().length).toBe(contents.length);
});
