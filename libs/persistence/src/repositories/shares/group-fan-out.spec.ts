import { SecretBox } from '#platform';
import { createTestDatabase, type TestDatabase } from '../../../../testing/src/rigs/test-database';
import { PeerRepository } from '../partners/peer.repository';
import { GroupFanOutRepository } from './group-fan-out.repository';

const HOST = 'cloud.example.org';
const OWNER = `alice@${HOST}`;

describe('a share with a group whose members are at a partner', () => {
  let test: TestDatabase;

  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.drop());

  const query = <T = unknown>(text: string, values: unknown[] = []): Promise<T[]> =>
    test.database.dataSource.query<T[]>(text, values);

  /** Bob has a share from the owner, and shares it with a group of the owner and others. */
  async function reshareWith(others: number): Promise<void> {
    const { id: peerId } = await new PeerRepository(test.database).ensure(HOST);
    await query(`INSERT INTO user_account (uid, display_name, password_hash) VALUES ('bob', 'Bob', '-')`);
    await query(`INSERT INTO user_group (gid) VALUES ('team')`);
    await query(
      `INSERT INTO group_remote_member (gid, canonical, cloud_id, peer_id)
       SELECT 'team', id, id, $1 FROM (SELECT $2 AS id UNION ALL SELECT 'member-' || n || '@' || $3 FROM generate_series(1, $4::int) n) member`,
      [peerId, OWNER, HOST, others],
    );
    await query(
      `INSERT INTO received_share (peer_id, provider_id, token_hmac, token_enc, recipient_uid, owner, sender, name, kind, permissions,
         dialect, state, file_target) VALUES ($1, '7', '-', '-', 'bob', $2, $2, 'plans', 'folder', 31, 'ocm-webdav', 'accepted', '/plans')`,
      [peerId, OWNER],
    );
    await query(
      `INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions)
       SELECT 1, id, 'bob', 'bob', 'team', 'team', 1 FROM node WHERE received_share_id IS NOT NULL`,
    );
  }

  it('is offered to all of them except the remote owner', async () => {
    await reshareWith(501);
    const fanOut = new GroupFanOutRepository(test.database, new SecretBox(() => Buffer.alloc(32)));
    while (await fanOut.step());
    expect(
      await query(
        `SELECT count(*)::int AS offers, count(*) FILTER (WHERE recipient_canonical = $1)::int AS "toOwner" FROM share
         WHERE group_share_id IS NOT NULL`,
        [OWNER],
      ),
    ).toEqual([{ offers: 501, toOwner: 0 }]);
  });
});
