import { AccountRepository, RemoteNodeRepository } from '#persistence';
import { eventually } from '../../../../libs/testing/src/waiting';
import { propfindsAt, ShareWatchStage } from '../../../../libs/testing/src/rigs/share-watch-stage';

let stage: ShareWatchStage;
beforeAll(async () => void (stage = await ShareWatchStage.start()));
afterEach(() => stage.clear());
afterAll(() => stage.files.end());

describe('the probes at partners', () => {
  it('leave time for other partners, even if one has many shares', async () => {
    const [many, one] = [await stage.files.share(), await stage.files.share()];
    await stage.crowd(many, 500);
    await stage.accept(one, '/one');
    await stage.worker().round();
    expect(propfindsAt(many.partner)).toHaveLength(10);
    expect(propfindsAt(one.partner)).toHaveLength(1);
  });

  it('reach each share once, with several workers', async () => {
    const partners = [await stage.files.share(), await stage.files.share(), await stage.files.share()];
    for (const [at, staged] of partners.entries()) await stage.accept(staged, `/share-${at}`);
    const workers = [stage.worker(), stage.worker()];
    await Promise.all(workers.flatMap((one) => [one.round(), one.round()]));
    expect(partners.map(({ partner }) => propfindsAt(partner).length)).toEqual([1, 1, 1]);
  });

  it('reach a partner at once for which a user waits, beside more partners than one round looks at', async () => {
    const first = await stage.files.share();
    await stage.query(
      `INSERT INTO peer (host_key) SELECT 'other' || n || '.example' FROM generate_series(1, 1100) AS n`,
    );
    await stage.query(`INSERT INTO received_share (peer_id, provider_id, token_hmac, token_enc, recipient_uid, owner, sender, name,
        permissions, dialect, state, file_target, look_at)
      SELECT p.id, 1, '', '', r.recipient_uid, 'o', 's', 'n', 1, 'ocm-webdav', 'accepted', '/other' || p.id, now() + interval '1 day'
      FROM peer p, received_share r WHERE p.host_key LIKE 'other%'`);
    const last = await stage.files.share();
    await stage.accept(first, '/first');
    await stage.accept(last, '/last');
    const worker = stage.worker();
    await worker.round();
    expect([first, last].map(({ partner }) => propfindsAt(partner).length)).toEqual([1, 0]);
    worker.wake(last.share.peerId);
    await eventually('a probe', () => propfindsAt(last.partner).length === 1);
  });

  it('pause for an unreachable partner, and continue later', async () => {
    const staged = await stage.files.share();
    await stage.crowd(staged, 50);
    staged.partner.misbehave(503);
    const worker = stage.worker();
    await worker.round();
    await worker.round();
    expect(propfindsAt(staged.partner)).toHaveLength(2);
    staged.partner.misbehave(null);
    await stage.letPass(1);
    await worker.round();
    expect(propfindsAt(staged.partner)).toHaveLength(12);
  });

  it.each([
    ['is paused', `UPDATE peer SET paused = true`],
    ['is denied', `UPDATE peer SET trust = 'denied'`],
    [
      'did not show its files lately',
      `UPDATE peer SET content_failures = 2, content_failed_at = now(), content_shut_until = now() + interval '1 minute'`,
    ],
    [
      'is kept busy by messages',
      `INSERT INTO outbox_message (subject_type, subject_id, peer_id, kind, revision, dedupe_key, payload, state, deadline_at)
       SELECT 'share', n, id, 'share-create', 1, 'key ' || n, '{}', 'inflight', now() FROM peer, generate_series(1, 2) n`,
    ],
  ])('do not reach a partner that %s', async (_, sql) => {
    const staged = await stage.files.share();
    await stage.accept(staged);
    await stage.query(sql);
    await stage.worker().round();
    expect(staged.partner.requests).toEqual([]);
  });

  it('end with an expired share', async () => {
    const staged = await stage.files.share();
    await stage.accept(staged);
    await stage.query(`UPDATE received_share SET expires_at = now() - interval '1 minute'`);
    await stage.worker().round();
    expect(staged.partner.requests).toEqual([]);
    expect((await stage.rowOf(staged)).look_at).toBeNull();
  });

  it('are hourly without use, frequent for active recipients, and immediate when clients read again', async () => {
    const staged = await stage.files.share();
    await stage.accept(staged);
    const worker = stage.worker();
    const pauseSeconds = async (): Promise<number> =>
      ((await stage.rowOf(staged)).look_at!.getTime() - Date.now()) / 1000;
    await worker.round();
    expect(await pauseSeconds()).toBeGreaterThan(3_500);
    const [person] = await stage.query<{ uid: string }>('SELECT recipient_uid AS uid FROM received_share');
    await new AccountRepository(stage.files.test.database).touchLogin(person!.uid);
    await stage.letPass(1);
    await worker.round();
    expect(await pauseSeconds()).toBeGreaterThan(500);
    expect(await pauseSeconds()).toBeLessThan(13 * 60);
    const nodes = new RemoteNodeRepository(stage.files.test.database);
    await nodes.noteUse(person!.uid);
    expect(await pauseSeconds()).toBeLessThan(1);
    await worker.round();
    expect(await pauseSeconds()).toBeLessThan(4);
    await stage.query(`UPDATE received_share SET look_at = now() + interval '1 hour'`);
    await nodes.noteUse(person!.uid);
    expect(await pauseSeconds()).toBeGreaterThan(3_500);
  });

  it('are rare for shares in use if the partner reports changes', async () => {
    const staged = await stage.files.share();
    await stage.accept(staged);
    const worker = stage.worker();
    await worker.round();
    await stage.query(`UPDATE received_share SET used_at = now()`);
    await stage.query(
      `UPDATE peer SET profile = coalesce(profile, '{}') || '{"capabilities": ["content-changes"]}'`,
    );
    await stage.query(`UPDATE received_share SET look_at = now()`);
    await worker.round();
    expect((await stage.rowOf(staged)).look_at!.getTime()).toBeGreaterThan(Date.now() + 500_000);
  });
});

describe('an offer of a trusted partner', () => {
  beforeEach(() =>
    stage.query(`INSERT INTO setting (app, key, value) VALUES ('federatedfilesharing', 'auto_accept_trusted', 'yes')
      ON CONFLICT DO NOTHING`),
  );
  afterEach(() => stage.query('DELETE FROM setting'));

  it.each([
    ['trusted', 'accepted'],
    ['allowed', 'pending'],
  ])('is accepted once its server has shown it: %s', async (trust, state) => {
    const staged = await stage.files.share();
    await stage.query('UPDATE peer SET trust = $1', [trust]);
    await stage.worker().round();
    expect(await stage.rowOf(staged)).toMatchObject({ state, verified: true });
  });

  it('waits if its server does not show it', async () => {
    const staged = await stage.files.share();
    await stage.query(`UPDATE peer SET trust = 'trusted'`);
    staged.partner.misbehave(404);
    await stage.worker().round();
    expect(await stage.rowOf(staged)).toMatchObject({ state: 'pending', verified: false });
  });
});
