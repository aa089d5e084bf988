import { createTestDatabase, type TestDatabase } from '../../../../testing/src';
import { NotificationMailRepository } from '../accounts/notification-mail.repository';
import { ExpiringShareRepository } from './expiring-share.repository';

let test: TestDatabase;
let expiring: ExpiringShareRepository;
const run = <Row = unknown>(sql: string): Promise<Row[]> => test.database.dataSource.query<Row[]>(sql);

beforeAll(async () => {
  test = await createTestDatabase();
  expiring = new ExpiringShareRepository(test.database);
});
afterAll(() => test.drop());
beforeEach(async () => {
  await run('DELETE FROM user_account; DELETE FROM setting; DELETE FROM peer');
  await run(`INSERT INTO user_account (uid, display_name, email, password_hash)
    VALUES ('alice', 'Alice', 'alice@a.test', 'x'), ('bob', 'Bob', NULL, 'x');
    INSERT INTO storage (key, owner_uid) VALUES ('home::alice', 'alice');
    INSERT INTO node (storage_id, owner_uid, name, path, kind, mimetype, mtime, etag)
      SELECT id, 'alice', 'plans', '', 'folder', 'x/y', now(), 'e' FROM storage`);
});

/** Makes a share with Bob. */
const share = (endsInDays: number, madeDaysAgo: number): Promise<unknown> =>
  run(`INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, expires_on, created_at)
    SELECT 0, id, 'alice', 'alice', 'bob', 'bob', 1, current_date + ${endsInDays}, now() - interval '${madeDaysAgo} days' FROM node`);
const reported = async (): Promise<string[]> =>
  (await run<{ line: string }>(`SELECT uid || ': ' || subject AS line FROM notification ORDER BY uid`)).map(
    ({ line }) => line.replace(/\d{4}-\d\d-\d\d$/, 'DAY'),
  );
const ALL_REPORTED = [
  'alice: Your share "plans" with Bob ends with DAY',
  'bob: "plans", which Alice shared with you, ends with DAY',
];

describe('users get a reminder of a share that ends soon', () => {
  it('once, by mail if they have an address, and in the log', async () => {
    await share(3, 5);
    expect([await expiring.remind(10), await expiring.remind(10)]).toEqual([1, 0]);
    expect(await reported()).toEqual(ALL_REPORTED);
    expect(await run('SELECT uid FROM notification_mail')).toEqual([{ uid: 'alice' }]);
    expect(await run(`SELECT action FROM audit_event WHERE action = 'share.remind'`)).toHaveLength(1);
  });

  it('not by mail, if the share ends while the mail waits', async () => {
    await run('DELETE FROM notification_mail');
    const mails = new NotificationMailRepository(test.database);
    await share(3, 5);
    await expiring.remind(10);
    expect(await mails.takeNext(0)).toMatchObject({ address: 'alice@a.test' });
    await run('DELETE FROM share');
    expect(await mails.takeNext(0)).toBeUndefined();
  });

  it('again after the last day was moved', async () => {
    await share(1, 5);
    await expiring.remind(10);
    await run('DELETE FROM notification; UPDATE share SET expires_on = current_date + 2');
    await expiring.remind(10);
    expect(await reported()).toEqual(ALL_REPORTED);
  });

  it('not by mail, if they declined mails', async () => {
    await run(
      `INSERT INTO user_preference VALUES ('alice', 'notifications', 'email_sending_option', 'never')`,
    );
    await share(1, 5);
    await expiring.remind(10);
    expect(await reported()).toEqual(ALL_REPORTED);
    expect(await run('SELECT uid FROM notification_mail')).toEqual([]);
  });

  it.each([
    ['ends later', 4, 5],
    ['has ended', -1, 5],
    ['was made today', 1, 0],
  ])('not of a share that %s', async (_what, endsInDays, madeDaysAgo) => {
    await share(endsInDays, madeDaysAgo);
    expect(await expiring.remind(10)).toBe(0);
    expect(await reported()).toEqual([]);
  });

  it('and not if they declined it', async () => {
    await share(1, 5);
    await run(`INSERT INTO share_recipient (share_id, uid, state) SELECT id, 'bob', 2 FROM share`);
    await expiring.remind(10);
    expect(await reported()).toEqual(ALL_REPORTED.slice(0, 1));
  });

  it.each([
    ['does not see any more', false, []],
    ['has', true, ['carol: Your share "plans" with Bob ends with DAY']],
  ])('of what they passed on, if that is a file that their initiator %s', async (_what, isReceived, told) => {
    await run(`INSERT INTO user_account (uid, display_name, password_hash) VALUES ('carol', 'Carol', 'x')`);
    await run(`INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, expires_on, created_at)
      SELECT 0, id, 'alice', 'carol', 'bob', 'bob', 1, current_date + 1, now() - interval '5 days' FROM node`);
    if (isReceived)
      await run(`WITH made AS (INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions)
          SELECT 0, id, 'alice', 'alice', 'carol', 'carol', 31 FROM node RETURNING id)
        INSERT INTO share_recipient (share_id, uid, state, file_target) SELECT id, 'carol', 0, '/plans' FROM made`);
    await expiring.remind(10);
    expect(await reported()).toEqual(['bob: "plans", which Carol shared with you, ends with DAY', ...told]);
  });

  it.each([
    ['declined', 'UPDATE share_recipient SET state = 2', ALL_REPORTED.slice(0, 1)],
    ['accepted', 'UPDATE share_recipient SET state = 0', ALL_REPORTED],
  ])('that ends for the recipient who has %s since only if they declined', async (_what, change, left) => {
    await share(1, 5);
    await run(`INSERT INTO share_recipient (share_id, uid, state) SELECT id, 'bob', 1 FROM share`);
    await expiring.remind(10);
    await run(change);
    expect(await reported()).toEqual(left);
  });

  it.each([
    ['is deleted', 'DELETE FROM share'],
    ['gets a later last day', 'UPDATE share SET expires_on = current_date + 30'],
    ['has no last day any more', 'UPDATE share SET expires_on = NULL'],
  ])('that ends when the share %s', async (_what, change) => {
    await share(1, 5);
    await expiring.remind(10);
    await run('UPDATE share SET permissions = 17, expires_on = expires_on');
    expect(await reported()).toEqual(ALL_REPORTED);
    await run(change);
    expect(await reported()).toEqual([]);
  });

  it.each([
    [0, 0],
    [5, 1],
  ])('%i days before, as the setting says', async (days, count) => {
    await run(
      `INSERT INTO setting (app, key, value) VALUES ('files_sharing', 'remind_days_before_expiry', '${days}')`,
    );
    await share(5, 9);
    expect(await expiring.remind(10)).toBe(count);
  });

  const receiveShare = (): Promise<unknown> =>
    run(`INSERT INTO peer (host_key) VALUES ('b.test');
      INSERT INTO received_share (peer_id, provider_id, token_hmac, token_enc, recipient_uid, owner, sender, sender_display_name, name, permissions,
        dialect, expires_at, received_at)
      SELECT id, '7', 'k', 's', 'bob', 'bea@b.test', 'bea@b.test', 'Bea', 'theirs', 1, 'ocm-multi', current_date + 2, now() - interval '3 days' FROM peer`);
  const RECEIVED_REPORTED = ['bob: "theirs", which Bea shared with you, ends with DAY'];

  it('also of a share from a partner', async () => {
    await receiveShare();
    expect([await expiring.remind(10), await expiring.remind(10)]).toEqual([1, 0]);
    expect(await reported()).toEqual(RECEIVED_REPORTED);
  });

  it.each([
    ['is gone', 'DELETE FROM received_share'],
    ['is declined', `UPDATE received_share SET state = 'declined'`],
    ['gets another last day', `UPDATE received_share SET expires_at = expires_at + interval '9 days'`],
  ])('that ends when the share from a partner %s', async (_what, change) => {
    await receiveShare();
    await expiring.remind(10);
    await run(`UPDATE received_share SET state = 'accepted'`);
    expect(await reported()).toEqual(RECEIVED_REPORTED);
    await run(change);
    expect(await reported()).toEqual([]);
  });
});
