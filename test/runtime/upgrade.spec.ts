import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  Database,
  migrate,
  missingMigrations,
  NodeWriteRepository,
  StorageRoomRepository,
} from '../../libs/persistence/src';
import { createEmptyDatabase, REPOSITORY } from '../../libs/testing/src';

/** Schemas of releases, each as a new database of that time. */
const SCHEMAS = join(REPOSITORY, 'test/fixtures/schema');
const RELEASED = readdirSync(SCHEMAS).sort();

/** Rows in every table that users would miss. They fit all these schemas. */
const CONTENT = `
  INSERT INTO user_account (uid, display_name, password_hash) VALUES ('alice', 'Alice', '-'), ('bob', 'Bob', '-');
  INSERT INTO group_member (gid, uid) VALUES ('admin', 'alice');
  INSERT INTO setting (app, key, value) VALUES ('core', 'shareapi_enabled', 'yes');
  INSERT INTO storage (key, owner_uid) VALUES ('home::alice', 'alice');
  INSERT INTO node (storage_id, owner_uid, name, path, kind, mimetype, mtime, etag)
    SELECT id, 'alice', '', '', 'folder', 'httpd/unix-directory', now(), 'root' FROM storage;
  INSERT INTO node (storage_id, parent_id, owner_uid, name, path, kind, mimetype, mtime, etag, size, blob_key)
    SELECT storage_id, id, 'alice', 'a.txt', '/a.txt', 'file', 'text/plain', now(), 'file', 5, 'blob' FROM node;
  INSERT INTO peer (host_key, trust) VALUES ('cloud.example.org', 'allowed');
  INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions)
    SELECT 0, id, 'alice', 'alice', 'bob', 'bob', 19 FROM node WHERE name = 'a.txt';
  INSERT INTO share_recipient (share_id, uid, state, file_target) SELECT id, 'bob', 0, '/a.txt' FROM share;
  INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, permissions, token_hmac, token_enc, name)
    SELECT 3, id, 'alice', 'alice', 1, '\\x01', '\\x02', 'link' FROM node WHERE name = 'a.txt';
  INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, token_hmac, token_enc,
      peer_id, delivery_state, acceptance)
    SELECT 6, n.id, 'alice', 'alice', 'bea@cloud.example.org', 'bea@cloud.example.org', 3, '\\x03', '\\x04', p.id, 'delivered', 'accepted'
    FROM node n, peer p WHERE n.name = 'a.txt';
  INSERT INTO outbox_message (subject_type, subject_id, peer_id, kind, revision, dedupe_key, payload, deadline_at)
    SELECT 'share', s.id, s.peer_id, 'share-permissions', 1, 'share-permissions:share/1', '{"permissions": 3}', now() + interval '1 day'
    FROM share s WHERE s.share_type = 6;
  INSERT INTO received_share (peer_id, provider_id, token_hmac, token_enc, recipient_uid, owner, sender, name, permissions, dialect, state,
      file_target)
    SELECT id, '7', '\\x05', '\\x06', 'alice', 'bea', 'bea', 'b.txt', 1, 'ocm-1.0', 'accepted', '/b.txt' FROM peer`;
const TABLES = [
  ...[
    'user_account',
    'user_group',
    'group_member',
    'setting',
    'instance',
    'storage',
    'node',
    'share',
    'share_recipient',
  ],
  ...['peer', 'outbox_message', 'received_share'],
];

type Row = Record<string, unknown>;
let open: (() => Promise<void>)[];

beforeEach(() => (open = []));
afterEach(async () => {
  for (const close of open.reverse()) await close();
});

async function emptyDatabase(): Promise<{ url: string; database: Database }> {
  const { url, drop } = await createEmptyDatabase();
  const database = await Database.connect({ url, poolSize: 2, applicationName: 'drawbridge specs' });
  open.push(drop, () => database.close());
  return { url, database };
}

async function structureOf(url: string): Promise<string> {
  const script = join(REPOSITORY, 'scripts/dump-schema.mjs');
  return (await promisify(execFile)(process.execPath, [script, '--no-rows', url])).stdout;
}

async function contentOf({ dataSource }: Database): Promise<Record<string, Row[]>> {
  const content: Record<string, Row[]> = {};
  for (const table of TABLES) {
    const rows = await dataSource.query<{ row: Row }[]>(
      `SELECT to_jsonb(t) AS row FROM ${table} t ORDER BY t::text`,
    );
    content[table] = rows.map(({ row }) => row);
  }
  return content;
}

describe.each(RELEASED)('a database of %s', (file) => {
  const schema = readFileSync(join(SCHEMAS, file), 'utf8');

  it('has the schema of a new one after its missing migrations, and keeps its rows', async () => {
    const old = await emptyDatabase();
    await old.database.dataSource.query(schema);
    await old.database.dataSource.query(CONTENT);
    const before = await contentOf(old.database);
    expect(Object.entries(before).filter(([, rows]) => rows.length === 0)).toEqual([]);
    const missing = await missingMigrations(old.database);
    expect(await migrate(old.database)).toEqual(missing);
    const fresh = await emptyDatabase();
    await migrate(fresh.database);
    expect(await structureOf(old.url)).toBe(await structureOf(fresh.url));
    // A migration may add rows and columns.
    const after = await contentOf(old.database);
    for (const [table, rows] of Object.entries(before))
      for (const row of rows) expect(after[table]).toContainEqual(expect.objectContaining(row));
  });

  it('counts files and folders of its users at the first need', async () => {
    const { database } = await emptyDatabase();
    await database.dataSource.query(schema);
    await database.dataSource.query(CONTENT);
    await migrate(database);
    const nodes = async (): Promise<(number | null)[]> =>
      (
        await database.dataSource.query<{ nodes: number | null }[]>(
          `SELECT node_count::integer AS nodes FROM storage WHERE key = 'home::alice'`,
        )
      ).map((row) => row.nodes);
    expect(await nodes()).toEqual([null]);
    await database.transaction(async (transaction) => {
      const rooms = new StorageRoomRepository(transaction);
      const [storage] = await database.dataSource.query<{ id: number }[]>(
        `SELECT id FROM storage WHERE key = 'home::alice'`,
      );
      await new NodeWriteRepository(transaction).lockStorages([storage!.id]);
      expect(await rooms.room(storage!.id, 1)).toMatchObject({ bytes: Infinity, nodes: null });
      await rooms.countNodes(storage!.id);
      expect(await rooms.room(storage!.id, 5)).toMatchObject({ bytes: Infinity, nodes: 4 });
    });
    await database.dataSource.query(`DELETE FROM node WHERE name = 'a.txt'`);
    expect(await nodes()).toEqual([0]);
  });
});
