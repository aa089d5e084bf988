import { createTestDatabase, type TestDatabase } from '../../../testing/src/rigs/test-database';
import { EndsOfReshares1764000000033 } from './0033-ends-of-reshares';

/** A reshare that was requested from its owner's server, with `carl` at a third server. */
const RESHARE = `
  INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, token_hmac, token_enc,
    peer_id, delivery_state, acceptance, via_owner, remote_owner, received_share_id, granted_id, granted_token_hmac, granted_token_enc)
  SELECT 6, n.id, 'bob', 'bob', $1::text, $1::text, 1, convert_to($1::text, 'UTF8'), 'x', r.peer_id, 'delivered', 'accepted', $3::text, r.owner, r.id,
    CASE $3::text WHEN 'granted' THEN '77' END, CASE $3::text WHEN 'granted' THEN convert_to($1::text, 'UTF8') END, CASE $3::text WHEN 'granted' THEN 'x'::bytea END
  FROM received_share r JOIN node n ON n.received_share_id = r.id AND n.parent_id IS NULL
  WHERE r.owner = 'alice@' || $2::text`;
const RECEIVED = `
  INSERT INTO received_share (peer_id, provider_id, token_hmac, token_enc, recipient_uid, owner, sender, name, kind, permissions, dialect,
    state, file_target)
  SELECT id, '55', convert_to(host_key, 'UTF8'), 'x', 'bob', 'alice@' || host_key, 'alice@' || host_key, host_key, 'folder', 31, 'ocm-webdav', 'accepted',
    '/' || host_key FROM peer WHERE host_key LIKE 'owner%'`;

describe('the migration that stores who notifies recipients of the end of reshares', () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.drop());

  const query = <Row = unknown>(sql: string, values: unknown[] = []): Promise<Row[]> =>
    test.database.dataSource.query<Row[]>(sql, values);

  it('finds the recipient’s server of those that were granted before, unless the owner’s server is one of ours', async () => {
    await query(`INSERT INTO user_account (uid, display_name, password_hash) VALUES ('bob', 'Bob', '-')`);
    await query(
      `INSERT INTO peer (host_key, profile, pinned_profile) VALUES ('owner.example', '{"product": "owncloud10"}', NULL),
         ('owner-ours.example', '{"product": "drawbridge"}', NULL),
         ('owner-pinned.example', '{"product": "unknown"}', '{"product": "drawbridge"}'),
         ('owner-unknown.example', NULL, NULL), ('third.example:8443', NULL, NULL)`,
    );
    await query(RECEIVED);
    for (const [recipient, owner, via] of [
      ['carl@third.example:8443', 'owner.example', 'granted'],
      ['a@b@third.example:8443', 'owner-unknown.example', 'granted'],
      ['dora@nowhere.example', 'owner.example', 'granted'],
      ['emil@third.example:8443', 'owner.example', 'asked'],
      ['finn@third.example:8443', 'owner-ours.example', 'granted'],
      ['gina@third.example:8443', 'owner-pinned.example', 'granted'],
    ])
      await query(RESHARE, [recipient, owner, via]);
    await query('ALTER TABLE share DROP COLUMN recipient_peer_id');

    const runner = test.database.dataSource.createQueryRunner();
    try {
      await new EndsOfReshares1764000000033().up(runner);
    } finally {
      await runner.release();
    }

    const told = await query<{ recipient: string }>(
      `SELECT s.recipient FROM share s JOIN peer p ON p.id = s.recipient_peer_id WHERE p.host_key = 'third.example:8443' ORDER BY 1`,
    );
    expect(told.map(({ recipient }) => recipient)).toEqual([
      'a@b@third.example:8443',
      'carl@third.example:8443',
    ]);
    expect(await query('SELECT FROM share WHERE recipient_peer_id IS NOT NULL')).toHaveLength(2);
  });
});
