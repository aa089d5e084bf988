import type { QueryRunner } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../../testing/src/rigs/test-database';
import { declaredStatements } from '../../statement';
import './mount-placement.repository';
import './mount.repository';
import { md5 } from './path-parts';
import { BARE_IN_USER_TREE, pathOfUser } from './place-statements';

const MOUNTS = 2_000;
const OTHERS = 300;
/** Rows that a statement may read. */
const FEW = 30;

let test: TestDatabase;
let session: QueryRunner;

/** Bob took many shares of partners and of Carol, while the other accounts have one of each, which the planner takes as usual. */
beforeAll(async () => {
  test = await createTestDatabase();
  session = test.database.dataSource.createQueryRunner();
  await session.query(`INSERT INTO user_account (uid, display_name, password_hash)
    SELECT uid, uid, '-' FROM unnest(ARRAY['bob', 'carol']) uid UNION ALL SELECT 'other-' || n, '', '-' FROM generate_series(1, ${OTHERS}) n`);
  await session.query(`INSERT INTO peer (host_key) VALUES ('partner.example')`);
  await session.query(`CREATE TEMPORARY TABLE taken AS
    SELECT n, CASE WHEN n <= ${MOUNTS} THEN 'bob' ELSE 'other-' || n - ${MOUNTS} END AS uid FROM generate_series(1, ${MOUNTS + OTHERS}) n`);
  await session.query(`INSERT INTO received_share (peer_id, provider_id, token_hmac, token_enc, recipient_uid, owner, sender, name, kind,
      permissions, dialect, file_target, state)
    SELECT p.id, n, n::text::bytea, 'x', uid, 'a@partner.example', 'a@partner.example', 'Plans', 'folder', 31, 'legacy', '/Plans ' || n, 'accepted'
    FROM peer p, taken`);
  await session.query(
    `INSERT INTO storage (key, owner_uid) VALUES ('home::bob', 'bob'), ('home::carol', 'carol')`,
  );
  await session.query(`WITH top AS (
      INSERT INTO node (storage_id, owner_uid, name, path, kind, mimetype, mtime, etag)
      SELECT id, 'carol', '', '', 'folder', 'httpd/unix-directory', now(), 'e' FROM storage WHERE key = 'home::carol' RETURNING *
    ) INSERT INTO node (storage_id, parent_id, owner_uid, name, path, kind, mimetype, mtime, etag)
    SELECT storage_id, id, owner_uid, 'Folder ' || n, '/Folder ' || n, kind, mimetype, mtime, etag FROM top, taken`);
  await session.query(`INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions)
    SELECT 0, f.id, 'carol', 'carol', uid, uid, 31 FROM taken JOIN node f ON f.name = 'Folder ' || n`);
  await session.query(`INSERT INTO share_recipient (share_id, uid, state, file_target)
    SELECT s.id, s.recipient_canonical, 0, '/' || f.name FROM share s JOIN node f ON f.id = s.node_id
    ON CONFLICT (share_id, uid) DO UPDATE SET state = excluded.state, file_target = excluded.file_target`);
  await session.query('ANALYZE');
});
afterAll(async () => {
  await session.release();
  await test.drop();
});

async function rowsRead(): Promise<number> {
  const [{ rows }] = await session.query(
    `SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::integer AS rows FROM pg_stat_xact_user_tables`,
  );
  return rows;
}

/** The rows of a statement, and the number of rows that it read in tables. */
async function run(
  sql: string,
  values: unknown[],
): Promise<{ result: Record<string, unknown>[]; rows: number }> {
  await session.query('BEGIN');
  const before = await rowsRead();
  const result = await session.query(sql, values);
  const rows = (await rowsRead()) - before;
  await session.query('COMMIT');
  return { result, rows };
}

describe.each(['force_custom_plan', 'force_generic_plan'])('with %s', (mode) => {
  beforeAll(() => session.query(`SET plan_cache_mode = ${mode}`));

  it.each([
    ['an own path', '/Own/2026/Plans 7/a.txt', [null]],
    ['a path in a share from a partner', '/Plans 7/2026/a.txt', ['/Plans 7']],
    ['a path in a share of this instance', '/Folder 7/2026/a.txt', ['/Folder 7']],
  ])('the mount of %s is found without reading the others', async (_, path, mounts) => {
    const values = pathOfUser('bob', path);
    const { result, rows } = await run(
      BARE_IN_USER_TREE.text,
      BARE_IN_USER_TREE.order.map((name) => values[name as keyof typeof values]),
    );
    expect(result.map(({ mountTarget }) => mountTarget)).toEqual(mounts);
    expect(rows).toBeLessThan(FEW);
  });

  it('names that are taken are found without reading all mounts', async () => {
    const paths = ['/Plans 7', '/Folder 7', '/Free'];
    const { text } = declaredStatements().find(({ name }) => name === 'mount.occupied_targets')!;
    const { result, rows } = await run(text, ['bob', paths.map(md5), paths]);
    expect(new Set(result.map(({ path }) => path))).toEqual(new Set(['/Plans 7', '/Folder 7']));
    expect(rows).toBeLessThan(FEW);
  });

  it('a folder is listed without reading the mounts in the folders below it', async () => {
    await session.query(`UPDATE share_recipient SET file_target = '/Deep' || file_target WHERE file_target <> '/Folder 7';
      UPDATE received_share SET file_target = '/Deep' || file_target WHERE file_target <> '/Plans 7'; ANALYZE share_recipient, received_share`);
    const { text } = declaredStatements().find(({ name }) => name === 'mount.in_folder')!;
    const { result, rows } = await run(text, ['bob', md5(''), '']);
    expect(result.map(({ target }) => target)).toEqual(['/Folder 7', '/Plans 7']);
    expect(rows).toBeLessThan(FEW);
  });
});
