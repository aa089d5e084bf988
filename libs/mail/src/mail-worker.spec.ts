import {
  ChangeFeed,
  InvitationMailRepository,
  InvitationRepository,
  MailOutboxRepository,
  NotificationMailRepository,
  SettingRepository,
} from '#persistence';
import { CachedPolicy, RuntimeSettings } from '#settings';
import { createLogger, PublicAddress, readConfig, SecretBox } from '#platform';
import { createTestDatabase, eventually, MailServer, type TestDatabase } from '../../testing/src';
import { InvitationMails } from './invitation-mails';
import { MailWorker } from './mail-worker';
import { NotificationMails } from './notification-mails';

let test: TestDatabase;
let server: MailServer;
let settings: RuntimeSettings;
let outbox: MailOutboxRepository;
let invitationMails: InvitationMailRepository;
let notificationMails: NotificationMailRepository;
let shareId: number;
const workers: MailWorker[] = [];

beforeAll(async () => {
  test = await createTestDatabase();
  server = await MailServer.start();
  const secrets = new SecretBox(() => Buffer.alloc(32));
  outbox = new MailOutboxRepository(test.database, secrets);
  notificationMails = new NotificationMailRepository(test.database);
  invitationMails = new InvitationMailRepository(test.database, secrets);
});
afterAll(async () => {
  await server.stop();
  await test.drop();
});
beforeEach(async () => {
  server.mails.length = 0;
  server.verdict = () => '250 ok';
  await run('DELETE FROM user_account; DELETE FROM setting; DELETE FROM notification');
  settings = new RuntimeSettings(new SettingRepository(test.database), policy());
  await settings.set('core', 'shareapi_allow_mail_notification', 'yes');
  await run(`INSERT INTO user_account (uid, display_name, email, password_hash) VALUES ('alice', 'Alice', NULL, 'x');
    INSERT INTO storage (key, owner_uid) VALUES ('home::alice', 'alice')`);
  const [node] = await run<{ id: number }>(
    `INSERT INTO node (storage_id, owner_uid, name, path, kind, mimetype, mtime, etag)
     SELECT id, 'alice', 'plans', '', 'folder', 'x/y', now(), 'e' FROM storage RETURNING id`,
  );
  const [share] = await run<{ id: number }>(
    `INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions)
     VALUES (1, ${node!.id}, 'alice', 'alice', 'staff', 'staff', 1) RETURNING id`,
  );
  shareId = share!.id;
});
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.beforeApplicationShutdown();
});

const run = <Row = unknown>(sql: string): Promise<Row[]> => test.database.dataSource.query<Row[]>(sql);
const policy = (): CachedPolicy =>
  new CachedPolicy(new SettingRepository(test.database), new ChangeFeed(test.url), {
    COMPATIBILITY: 'documented',
  });

function startWorker(smtpUrl = server.url): MailWorker {
  const config = readConfig({ SMTP_URL: smtpUrl, PUBLIC_URL: 'https://cloud.example.org' });
  const logger = createLogger('silent');
  const mails = new InvitationMails(invitationMails, policy(), logger);
  const notifications = new NotificationMails(notificationMails, policy(), logger);
  const worker = new MailWorker(
    outbox,
    mails,
    notifications,
    policy(),
    new PublicAddress(config),
    config,
    logger,
  );
  workers.push(worker);
  worker.onApplicationBootstrap();
  return worker;
}

async function queue(count: number): Promise<void> {
  await run(`INSERT INTO mail_outbox (share_id, sender_uid, address)
    SELECT ${shareId}, 'alice', 'r' || i || '@example.org' FROM generate_series(1, ${count}) AS i`);
}
interface Row {
  readonly attempts: number;
  readonly last_error: string | null;
  readonly delay: number;
}
const waiting = (): Promise<Row[]> =>
  run<Row>(`SELECT attempts, last_error, extract(epoch FROM next_attempt_at - now())::int AS delay
    FROM mail_outbox WHERE sent_at IS NULL`);
const isMarked = async (): Promise<boolean> =>
  (await run<{ mail_sent: boolean }>(`SELECT mail_sent FROM share WHERE id = ${shareId}`))[0]!.mail_sent;

describe('the worker for mail', () => {
  it('sends every notice once, with any number of workers', async () => {
    await queue(30);
    startWorker();
    startWorker();
    await eventually('all notices', async () => (await waiting()).length === 0);
    expect(new Set(server.mails.map(({ to }) => to)).size).toBe(30);
    expect(server.mails).toHaveLength(30);
    expect(server.mails[0]!.from).toBe('sharing-noreply@cloud.example.org');
    expect(await isMarked()).toBe(true);
  });

  it('sends mails only to accounts that still get the share', async () => {
    const uids = ['member', 'former', 'disabled', 'declined', 'deleted'];
    await run(`DELETE FROM user_group; INSERT INTO user_group (gid) VALUES ('staff')`);
    for (const uid of uids)
      await run(`INSERT INTO user_account (uid, display_name, email, password_hash) VALUES ('${uid}', '${uid}', '${uid}@example.org', 'x');
        INSERT INTO group_member (gid, uid) VALUES ('staff', '${uid}');
        INSERT INTO mail_outbox (share_id, sender_uid, recipient_uid, address, next_attempt_at)
          VALUES (${shareId}, 'alice', '${uid}', '${uid}@example.org', now() - interval '1 minute')`);
    await run(`DELETE FROM group_member WHERE uid = 'former'; DELETE FROM user_account WHERE uid = 'deleted';
      UPDATE user_account SET enabled = false WHERE uid = 'disabled';
      INSERT INTO share_recipient (share_id, uid, state) VALUES (${shareId}, 'declined', 2), (${shareId}, 'member', 1)
        ON CONFLICT (share_id, uid) DO UPDATE SET state = excluded.state`);
    await queue(1);
    startWorker();
    // A row is marked as sent only after the server took its mail.
    await eventually('both mails', async () => (await waiting()).length === 3);
    expect(server.mails.map(({ to }) => to)).toEqual(['member@example.org', 'r1@example.org']);
    const aside = await waiting();
    expect(aside.map(({ attempts }) => attempts)).toEqual([0, 0, 0]);
    for (const { delay } of aside) expect(delay).toBeGreaterThan(3000);
    await run(`INSERT INTO group_member (gid, uid) VALUES ('staff', 'former');
      UPDATE share_recipient SET state = 0 WHERE uid = 'declined';
      UPDATE mail_outbox SET next_attempt_at = now() WHERE sent_at IS NULL`);
    workers[0]!.wake();
    await eventually('the mails to those who are back', async () => (await waiting()).length === 1);
    expect(server.mails).toHaveLength(4);
    expect((await waiting()).map(({ attempts }) => attempts)).toEqual([0]);
  });

  it('repeats mails later that the server did not accept, and leaves the others for the next run', async () => {
    server.verdict = () => '451 4.3.0 busy';
    await queue(2);
    const worker = startWorker();
    const row = await eventually('an attempt', async () =>
      (await waiting()).find(({ last_error }) => last_error),
    );
    expect(row).toMatchObject({ attempts: 1, last_error: '451 4.3.0 busy' });
    expect(row.delay).toBeGreaterThan(50);
    expect((await waiting()).map(({ attempts }) => attempts).sort()).toEqual([0, 1]);
    expect(await isMarked()).toBe(false);
    server.verdict = () => '250 ok';
    await run('UPDATE mail_outbox SET next_attempt_at = now()');
    worker.wake();
    await eventually('both notices', async () => (await waiting()).length === 0);
    expect(server.mails).toHaveLength(2);
  });

  it('waits for a missing server', async () => {
    await queue(1);
    startWorker('smtp://127.0.0.1:1');
    const row = await eventually('an attempt', async () =>
      (await waiting()).find(({ last_error }) => last_error),
    );
    expect(row.last_error).toContain('ECONNREFUSED');
  });

  it('gives up after the last attempt and informs the sender', async () => {
    server.verdict = () => '451 4.3.0 busy';
    await queue(1);
    await run('UPDATE mail_outbox SET attempts = 11');
    startWorker();
    await eventually('the end', async () => (await waiting()).length === 0);
    expect(await run('SELECT uid, subject, message FROM notification')).toEqual([
      {
        uid: 'alice',
        subject: 'The mail to r1@example.org about "plans" could not be delivered',
        message: '451 4.3.0 busy',
      },
    ]);
  });

  it('does not send mails that were switched off meanwhile', async () => {
    await queue(2);
    await settings.unset('core', 'shareapi_allow_mail_notification');
    startWorker();
    await eventually('the end', async () => (await waiting()).length === 0);
    expect(server.mails).toEqual([]);
    expect(await isMarked()).toBe(false);
  });

  it('leaves mails that another worker has claimed until the claim ends', async () => {
    await queue(1);
    const taken = await outbox.takeNext(120);
    expect(await outbox.takeNext(120)).toBeUndefined();
    await run('UPDATE mail_outbox SET next_attempt_at = now()');
    expect(await outbox.takeNext(120)).toMatchObject({ id: taken!.id, attempts: 2 });
  });

  it('sends nothing about a share that expired', async () => {
    await queue(1);
    await run(`UPDATE share SET expires_on = current_date - 1`);
    expect(await outbox.takeNext(120)).toBeUndefined();
  });
});

describe('notices to a large group', () => {
  it('are queued for thousands by one statement', async () => {
    await run(`INSERT INTO user_group (gid) VALUES ('staff') ON CONFLICT DO NOTHING;
      INSERT INTO user_account (uid, display_name, email, password_hash)
        SELECT 'm' || i, 'Member ' || i, CASE WHEN i > 30 THEN 'm' || i || '@example.org' END, 'x' FROM generate_series(1, 5000) AS i;
      INSERT INTO group_member SELECT 'staff', uid FROM user_account`);
    const [share] = await run<{ node_id: number }>(`SELECT node_id FROM share WHERE id = ${shareId}`);
    const asked = { senderUid: 'alice', nodeId: share!.node_id, shareType: 1, recipient: 'staff' };
    const { shareFound, unreachable } = await outbox.queueShareNotices(asked);
    expect(shareFound).toBe(true);
    expect(unreachable).toHaveLength(20);
    expect((await waiting()).length).toBe(4970);
    await outbox.queueShareNotices(asked);
    expect((await waiting()).length).toBe(4970);
  });
});

describe('an invitation', () => {
  const invite = async (): Promise<number> => {
    const invitations = new InvitationRepository(test.database);
    const { id } = (await invitations.insert('alice', Buffer.from('hmac'), 'for\nus', 3_600_000))!;
    await invitationMails.queue(id, 'bob@partner.example', 'TokenToBeMailed');
    return id;
  };
  const kept = (): Promise<{ sealed_token: Buffer | null; mail_attempts: number }[]> =>
    run('SELECT sealed_token, mail_attempts FROM invitation');
  const isForgotten = async (): Promise<boolean> => (await kept())[0]!.sealed_token === null;

  beforeEach(() => settings.set('core', 'shareapi_allow_public_notification', 'yes'));

  it('is sent once, and its token is removed', async () => {
    await invite();
    startWorker();
    await eventually('the token is forgotten', isForgotten);
    expect(server.mails.map(({ to }) => to)).toEqual(['bob@partner.example']);
    const code = Buffer.from('TokenToBeMailed@cloud.example.org').toString('base64');
    expect(server.mails[0]!.content.replace(/=\r\n/g, '')).toContain(code.replace(/=+$/, ''));
  });

  it('is sent again if the server does not accept it now', async () => {
    server.verdict = () => '451 later';
    await invite();
    startWorker();
    await eventually('an attempt', async () => (await kept())[0]!.mail_attempts === 1);
    expect(await isForgotten()).toBe(false);
  });

  it('is given up if it is never accepted, and the inviting user gets a notification', async () => {
    server.verdict = () => '550 no such mailbox';
    await invite();
    startWorker();
    const mails = await eventually('the notification', async () => {
      const rows = await run('SELECT uid, subject FROM notification');
      return rows.length > 0 ? rows : undefined;
    });
    expect(mails).toEqual([
      { uid: 'alice', subject: 'The invitation to bob@partner.example could not be delivered' },
    ]);
  });

  it('is not sent if mail to external people was switched off', async () => {
    await settings.set('core', 'shareapi_allow_public_notification', 'no');
    await invite();
    startWorker();
    await eventually('the token is forgotten', isForgotten);
    expect(server.mails).toEqual([]);
  });
});

describe('a notification', () => {
  const queueNotification = (): Promise<unknown> =>
    run(`UPDATE user_account SET email = 'alice@example.org' WHERE uid = 'alice';
      INSERT INTO notification_mail (uid, subject, message) VALUES ('alice', 'bea@b.test declined your share "x"', 'not mine
Bcc: all@example.org')`);
  const waiting = async (): Promise<number> =>
    (await run<{ count: number }>('SELECT count(*)::int AS count FROM notification_mail'))[0]!.count;

  it('is sent with its text, which cannot add lines to the mail', async () => {
    await queueNotification();
    startWorker();
    await eventually('the mail', async () => server.mails.length === 1 && (await waiting()) === 0);
    expect(server.mails[0]!.content).toContain('> not mine Bcc: all@example.org');
  });

  it('is not sent if shares are only shown on pages', async () => {
    await settings.set('core', 'shareapi_allow_mail_notification', 'no');
    await queueNotification();
    startWorker();
    await eventually('its end', async () => (await waiting()) === 0);
    expect(server.mails).toEqual([]);
  });

  it('is tried again while the mail server is busy', async () => {
    server.verdict = () => '450 later';
    await queueNotification();
    startWorker();
    await eventually('the postponement', async () => {
      const [mail] = await run<{ later: boolean }>(
        `SELECT attempts = 1 AND next_attempt_at BETWEEN now() + interval '50 seconds' AND now() + interval '61 seconds' AS later FROM notification_mail`,
      );
      return mail!.later;
    });
  });
});
