import { createTestDatabase, type TestDatabase } from '../../libs/testing/src';
import { DatabaseTap } from '../../libs/testing/src/rigs/database-tap';
import { SharingGateway } from '../sharing/sharing-gateway';
import { offerBody, type OfferChanges } from './inbound-partner';

/** As many as an offer may reach. */
const SIZE = 200;
const [FIRST, BLOCKING] = ['member-001', 'member-002'];

let own: TestDatabase;
let tap: DatabaseTap;
let here: SharingGateway;

beforeAll(async () => {
  own = await createTestDatabase();
  tap = await DatabaseTap.open(own.url);
  here = await SharingGateway.start({ databaseUrl: tap.url, env: { FEDERATION_SYNC_WAIT: '0s' } });
  await here.set('files_sharing/incoming_server2server_group_share_enabled', 'yes');
  await here.addGroup('team');
  await here.query(
    `WITH account AS (
       INSERT INTO user_account (uid, display_name, password_hash)
       SELECT 'member-' || lpad(i::text, 3, '0'), 'Member', '-' FROM generate_series(1, $1::int) AS i RETURNING uid
     )
     INSERT INTO group_member (gid, uid) SELECT 'team', uid FROM account`,
    [SIZE],
  );
  await here.query(`INSERT INTO offer_block (uid, host_key, person) VALUES ($1, 'blocked.example', '')`, [
    BLOCKING,
  ]);
});
afterAll(async () => {
  await here?.stop();
  await tap?.close();
  await own?.drop();
});

const TO_TEAM = { shareType: 'group', shareWith: 'team@gateway.example' };
const TAKEN = { http: 201, text: '{"recipientDisplayName":"team"}' };

async function offer(providerId: string, changes: OfferChanges = TO_TEAM): Promise<typeof TAKEN> {
  const body = { ...offerBody(providerId, `SecretOf${providerId}`), ...changes };
  const headers = { 'content-type': 'application/json' };
  const reply = await fetch(`${here.gateway.url}/ocm/shares`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  return { http: reply.status, text: await reply.text() };
}
const recipients = async (providerId: string): Promise<string[]> =>
  (
    await here.query<{ uid: string }>(
      `SELECT recipient_uid AS uid FROM received_share r JOIN notification n ON n.object_id = r.id::text AND n.uid = r.recipient_uid
       WHERE provider_id = $1 AND state = 'pending' ORDER BY recipient_uid`,
      [providerId],
    )
  ).map(({ uid }) => uid);

/** Subjects of the statements that an offer can need. Scheduled statements about others may run at the same time. */
const SUBJECT = /^(?:group|notification|offer_parties|received_share|unsigned_offers)\./;

/** How often each statement about an offer runs. */
async function statementsOf(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const { statements } = await tap.during(work);
  return Object.fromEntries([...statements].filter(([name]) => SUBJECT.test(name)));
}

describe('an offer to a group with two hundred members', () => {
  it('is stored by as many statements as an offer to one person', async () => {
    // The partner is in memory then, and the statements are prepared.
    for (const id of ['one-1', 'one-2']) await offer(id, { shareWith: `${FIRST}@gateway.example` });
    const single = await statementsOf(() => offer('one-3', { shareWith: `${FIRST}@gateway.example` }));
    const group = await statementsOf(() => offer('first'));
    expect(group).toEqual({ ...single, 'group.people': 1 });
    expect(group['received_share.insert']).toBe(1);
    expect(await recipients('first')).toHaveLength(SIZE);
  });

  it('changes nothing if it is repeated, and gets the same answer', async () => {
    expect(await offer('again')).toEqual(TAKEN);
    await here.query(
      `UPDATE received_share SET state = 'declined' WHERE provider_id = 'again' AND recipient_uid = $1`,
      [FIRST],
    );
    const rows = (): Promise<object[]> =>
      here.query(`SELECT * FROM received_share WHERE provider_id = 'again' ORDER BY id`);
    const before = await rows();
    const repeated = await statementsOf(async () => expect(await offer('again')).toEqual(TAKEN));
    expect(repeated['received_share.insert']).toBe(1);
    expect(await rows()).toEqual(before);
  });

  it('is stored once for each member by many simultaneous copies', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => offer('copies')));
    expect(answers).toEqual(answers.map(() => TAKEN));
    const rows = await here.query(`SELECT recipient_uid FROM received_share WHERE provider_id = 'copies'`);
    expect(rows).toHaveLength(SIZE);
    expect(await recipients('copies')).toHaveLength(SIZE);
  });

  it('leaves out a member who blocks the partner', async () => {
    const owner = 'rem@https://blocked.example';
    expect(await offer('blocked', { ...TO_TEAM, owner, sender: owner })).toEqual(TAKEN);
    const reached = await recipients('blocked');
    expect(reached).toHaveLength(SIZE - 1);
    expect(reached).not.toContain(BLOCKING);
  });

  it('reaches members who joined since the first one, and no member twice', async () => {
    await here.query(`DELETE FROM group_member WHERE uid = $1`, [FIRST]);
    await offer('later');
    expect(await recipients('later')).not.toContain(FIRST);
    await here.query(`INSERT INTO group_member (gid, uid) VALUES ('team', $1)`, [FIRST]);
    expect(await offer('later')).toEqual(TAKEN);
    expect(await recipients('later')).toHaveLength(SIZE);
  });
});
