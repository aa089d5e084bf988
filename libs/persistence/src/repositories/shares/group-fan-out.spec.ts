import { SecretBox } from '#platform';
import { createTestDatabase, type TestDatabase } from '../../../../testing/src/rigs/test-database';
import { PeerRepository } from '../partners/peer.repository';
import { BarredOffers } from './barred-offers';
import { GroupFanOutRepository } from './group-fan-out.repository';
import { GroupRecipientRepository } from './group-recipient.repository';
import { InboxShareRepository } from './inbox-share.repository';

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

  async function offerAll(): Promise<void> {
    const fanOut = new GroupFanOutRepository(test.database, new SecretBox(() => Buffer.alloc(32)));
    while (await fanOut.step());
  }

  it('is offered to all of them except the remote owner', async () => {
    await reshareWith(501);
    await offerAll();
    expect(
      await query(
        `SELECT count(*)::int AS offers, count(*) FILTER (WHERE recipient_canonical = $1)::int AS "toOwner" FROM share
         WHERE group_share_id IS NOT NULL`,
        [OWNER],
      ),
    ).toEqual([{ offers: 501, toOwner: 0 }]);
  });

  const offered = (): Promise<{ id: number; permissions: number; recipient: string }[]> =>
    query(`SELECT s.id::int, (m.payload ->> 'permissions')::int AS permissions, s.recipient FROM share s
      JOIN outbox_message m ON m.subject_type = 'share' AND m.subject_id = s.id AND m.kind = 'share-create'
      WHERE s.group_share_id IS NOT NULL ORDER BY s.id`);

  /** The offers are given up, for this class of failure. */
  async function giveUp(ids: readonly number[], errorClass: string): Promise<void> {
    await query(`UPDATE share SET delivery_state = 'dead' WHERE id = ANY($1)`, [ids]);
    await query(
      `UPDATE outbox_message SET state = 'dead', error_class = $2, finished_at = now() WHERE subject_type = 'share' AND subject_id = ANY($1)`,
      [ids, errorClass],
    );
  }

  it('is offered again, as it is now, to members whose partner was closed by policy and is open again', async () => {
    const before = await offered();
    const barred = before.slice(0, 2).map(({ id }) => id);
    const refused = before[2]!.id;
    await giveUp(barred, 'policy');
    await giveUp([refused], 'partner-error');
    await query(`UPDATE share SET permissions = 3 WHERE share_type = 1`);
    await query('DELETE FROM group_share_due');

    const offers = new BarredOffers(test.database);
    const asked: unknown[] = [];
    await offers.renew((partner) => {
      asked.push(partner);
      return 'closed';
    });
    await offerAll();
    expect((await offered()).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    expect(asked).toEqual([{ hostKey: HOST, trust: 'unknown', outgoingTrust: null }]);

    await offers.renew(() => 'open');
    await offerAll();
    const after = await offered();
    expect(after).toHaveLength(before.length);
    const ids = after.map(({ id }) => id);
    expect(ids).toContain(refused);
    expect(ids.filter((id) => barred.includes(id))).toEqual([]);
    expect(after.slice(-2).map(({ permissions }) => permissions)).toEqual([3, 3]);
  });

  it('is offered again to members who became contacts of its maker, if their partner takes only contacts', async () => {
    const [stranger, met] = (await offered()).slice(-2);
    await giveUp([stranger!.id, met!.id], 'policy');
    const offers = new BarredOffers(test.database);
    const renewed = async (): Promise<string[]> => {
      const before = (await offered()).map(({ id }) => id);
      await offers.renew(() => 'contacts');
      await offerAll();
      const after = await offered();
      expect(after).toHaveLength(before.length);
      return after.flatMap(({ id, recipient }) => (before.includes(id) ? [] : recipient));
    };
    expect(await renewed()).toEqual([]);
    await query(
      `INSERT INTO contact (uid, peer_id, remote_user) SELECT 'bob', id, split_part($1, '@', 1) FROM peer`,
      [met!.recipient],
    );
    expect(await renewed()).toEqual([met!.recipient]);
    expect(await renewed()).toEqual([]);
  });

  it('is offered anew to members who left the group and joined it again before anything else was done', async () => {
    const offers = await offered();
    const [accepted, declined, other] = offers;
    const taken = [accepted!, declined!].map(({ recipient }) => recipient);
    await query(`UPDATE share SET acceptance = 'accepted' WHERE id = $1`, [accepted!.id]);
    await query(`UPDATE share SET acceptance = 'declined' WHERE id = $1`, [declined!.id]);
    await query('DELETE FROM share WHERE id = $1', [declined!.id]);
    await query('DELETE FROM group_remote_member WHERE canonical = ANY($1)', [taken]);
    const [share] = await query<{ id: number }>('SELECT id::int FROM share WHERE share_type = 1');
    const recipients = new GroupRecipientRepository(test.database);
    const states = async (): Promise<readonly (string | null)[][]> =>
      (await recipients.list(share!.id, '', 1000))
        .filter(({ canonical }) => taken.includes(canonical))
        .map(({ acceptance, deliveryState }) => [acceptance, deliveryState]);
    const { id: peerId } = await new PeerRepository(test.database).ensure(HOST);
    await query(
      `INSERT INTO group_remote_member (gid, canonical, cloud_id, peer_id) SELECT 'team', id, id, $2 FROM unnest($1::text[]) id`,
      [taken, peerId],
    );
    const anew = [
      ['unknown', null],
      ['unknown', null],
    ];
    expect(await states()).toEqual(anew);
    await offerAll();
    const after = await offered();
    expect(after).toHaveLength(offers.length);
    expect(after.map(({ id }) => id)).toContain(other!.id);
    expect(after.slice(-2).map(({ recipient }) => recipient)).toEqual(taken.toSorted());
    expect(await states()).toEqual(anew.map(() => ['unknown', 'pending']));
  });

  it.each([
    ['share from a partner has expired', `received_share SET expires_at = now() + interval '1 day' * `],
    ['share from a partner may not be passed on', 'received_share SET permissions = 23 + 8 * '],
    ['maker is disabled', 'user_account SET enabled = 0 < '],
  ])('is offered to new members whose %s only when that has ended', async (what, change) => {
    const before = await offered();
    const { id: peerId } = await new PeerRepository(test.database).ensure(HOST);
    const id = `${what.replaceAll(' ', '-')}@${HOST}`;
    await query(`UPDATE ${change} -1`);
    await query(
      `INSERT INTO group_remote_member (gid, canonical, cloud_id, peer_id) VALUES ('team', $1, $1, $2)`,
      [id, peerId],
    );
    await offerAll();
    expect(await offered()).toEqual(before);
    await query(`UPDATE ${change} 1`);
    await offerAll();
    expect((await offered()).slice(before.length)).toEqual([expect.objectContaining({ recipient: id })]);
  });

  it('gives its new conditions to what a member requests before their own share has ended', async () => {
    const condition = { scope: 'permissions', key: 'download', enabled: false };
    const [member] = await offered();
    const { id: recipientPeerId } = await new PeerRepository(test.database).ensure('third.example.org');
    await query('UPDATE share SET attributes = $1 WHERE share_type = 1', [JSON.stringify([condition])]);
    const made = await test.database.transaction((transaction) =>
      new InboxShareRepository(transaction).insertRequested(member!.id, {
        ...{
          recipient: 'bea@third.example.org',
          recipientCanonical: 'bea@third.example.org',
          recipientPeerId,
        },
        ...{ permissions: 1, tokenHmac: Buffer.from('requested'), tokenEnc: Buffer.from('sealed') },
      }),
    );
    await offerAll();
    expect(await offered()).toEqual([]);
    expect(
      await query('SELECT attributes::jsonb AS attributes FROM share WHERE id = $1', [made!.id]),
    ).toEqual([{ attributes: [condition] }]);
  });
});
