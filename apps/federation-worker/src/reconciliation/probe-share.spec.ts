import { RemoteNodeRepository } from '#persistence';
import { propfindsAt, putAt, ShareWatchStage } from '../../../../libs/testing/src/rigs/share-watch-stage';

const FOLDER = 'httpd/unix-directory';

let stage: ShareWatchStage;
beforeAll(async () => void (stage = await ShareWatchStage.start()));
afterEach(() => stage.clear());
afterAll(() => stage.files.end());

const messageOf = async (): Promise<string | undefined> =>
  (await stage.query<{ message: string }>('SELECT message FROM notification'))[0]?.message;

describe('an offer', () => {
  it('is verified by its server, which also sends its data', async () => {
    const mtime = new Date('2030-01-02T03:04:05Z');
    const staged = await stage.files.share();
    staged.offered.tree.file('', 'twelve bytes', mtime);
    staged.offered.permissions = 19;
    await stage.worker().round();
    expect(await stage.rowOf(staged)).toMatchObject({
      ...{ state: 'pending', verified: true, look_at: null, unreachable_since: null },
      ...{ kind: 'file', mimetype: 'text/plain', size: 12, mtime, permissions: 19 },
    });
    expect(await messageOf()).toBe('');
    expect(propfindsAt(staged.partner)).toEqual(['/public.php/webdav/ 0']);
  });

  it('stays unverified if its server does not know it, is probed a few times, and shows this', async () => {
    const staged = await stage.files.share();
    staged.partner.revoke(staged.offered);
    await stage.worker().round();
    expect(await stage.rowOf(staged)).toMatchObject({
      state: 'pending',
      verified: false,
      kind: null,
      failed_probes: 1,
    });
    expect((await stage.rowOf(staged)).look_at!.getTime()).toBeGreaterThan(Date.now() + 50_000);
    expect(await messageOf()).toMatch(
      /^The sender is not verified: 127\.0\.0\.1:\d+ did not confirm this share\.$/,
    );
    const worker = stage.worker();
    for (let times = 0; times < 8; times++) await stage.letPass(1).then(() => worker.round());
    expect(propfindsAt(staged.partner)).toHaveLength(6);
    expect(await stage.rowOf(staged)).toMatchObject({ state: 'pending', verified: false, look_at: null });
  });

  it('is verified later, and the doubt ends', async () => {
    const staged = await stage.files.share();
    staged.partner.misbehave(500);
    const worker = stage.worker();
    await worker.round();
    expect(await messageOf()).not.toBe('');
    staged.partner.misbehave(null);
    await stage.letPass(1);
    await worker.round();
    expect(await stage.rowOf(staged)).toMatchObject({
      verified: true,
      kind: 'folder',
      mimetype: FOLDER,
      look_at: null,
    });
    expect(await messageOf()).toBe('');
  });

  it('from a host that is not a partner stays unverified', async () => {
    const staged = await stage.files.share();
    await staged.partner.close();
    await stage.worker().round();
    expect(await stage.rowOf(staged)).toMatchObject({
      state: 'pending',
      verified: false,
      unreachable_since: null,
    });
  });
});

describe('an accepted share', () => {
  it('is probed with one request while nothing changed', async () => {
    const staged = await stage.files.share();
    const worker = stage.worker();
    await stage.accept(staged);
    await worker.round();
    await stage.letPass(1);
    await worker.round();
    expect(propfindsAt(staged.partner)).toEqual(['/public.php/webdav/ 0', '/public.php/webdav/ 0']);
    expect(await stage.rowOf(staged)).toMatchObject({
      kind: 'folder',
      mimetype: FOLDER,
      unreachable_since: null,
    });
  });

  it('sends its acceptance again if that was given up while its server was away', async () => {
    const staged = await stage.files.share();
    const { receivedShareId } = staged.share;
    await stage.accept(staged);
    await stage.query(
      `INSERT INTO outbox_message (subject_type, subject_id, peer_id, kind, revision, dedupe_key, payload, state, deadline_at, finished_at)
       SELECT 'received-share', r.id, r.peer_id, m.kind, 1, m.kind || r.id, '{}', m.state, now(), now()
       FROM received_share r, (VALUES ('received-seen', 'delivered'), ('received-accept', 'dead')) AS m (kind, state) WHERE r.id = $1`,
      [receivedShareId],
    );
    const waiting = (): Promise<unknown[]> =>
      stage.query(
        `SELECT kind, deadline_at > now() + interval '6 days' AS "hasTime" FROM outbox_message
         WHERE subject_type = 'received-share' AND subject_id = $1 AND state = 'pending'`,
        [receivedShareId],
      );
    const worker = stage.worker();
    staged.partner.misbehave(500);
    await worker.round();
    expect((await stage.rowOf(staged)).unreachable_since).not.toBeNull();
    expect(await waiting()).toEqual([]);
    staged.partner.misbehave(null);
    await stage.letPass(1);
    await worker.round();
    expect(await waiting()).toEqual([{ kind: 'received-accept', hasTime: true }]);
  });

  it('reads known folders again after a change', async () => {
    const staged = await stage.files.share();
    const { partner, offered } = staged;
    for (const path of ['/read/a', '/unread/b', '/same/c']) putAt(offered, path, 'old');
    await stage.accept(staged);
    const worker = stage.worker();
    await worker.round();
    await stage.query(`UPDATE node SET listed_at = now() WHERE received_share_id = $1`, [
      staged.share.receivedShareId,
    ]);
    putAt(offered, '/other', 'new');
    await stage.letPass(1);
    await worker.round();
    await stage.query(`UPDATE node SET listed_at = now() WHERE name IN ('read', 'same')`);
    for (const path of ['/read/d', '/unread/e']) putAt(offered, path, 'new');
    await stage.letPass(1);
    const before = propfindsAt(partner).length;
    await worker.round();
    expect(propfindsAt(partner).slice(before)).toEqual([
      '/public.php/webdav/ 0',
      '/public.php/webdav/ 1',
      '/public.php/webdav/read 1',
    ]);
    const known = await stage.query<{
      path: string;
    }>(`SELECT path FROM node WHERE storage_id IN (SELECT id FROM storage
      WHERE received_share_id IS NOT NULL) ORDER BY path`);
    expect(known.map(({ path }) => path)).toEqual([
      '',
      '/other',
      '/read',
      '/read/a',
      '/read/d',
      '/same',
      '/unread',
    ]);
  });

  it('keeps its decision and revision during a probe', async () => {
    const staged = await stage.files.share();
    await stage.accept(staged);
    const worker = stage.worker();
    const storages = () => stage.query(`SELECT last_value FROM storage_id_seq`);
    const before = await storages();
    await worker.round();
    expect(await storages()).toEqual(before);
  });

  it('is due soon after an unexpected answer, but at least ten minutes after the last probe', async () => {
    const staged = await stage.files.share();
    await stage.accept(staged);
    await stage.worker().round();
    const nodes = new RemoteNodeRepository(stage.files.test.database);
    const minutes = async (): Promise<number> =>
      Math.round(((await stage.rowOf(staged)).look_at!.getTime() - Date.now()) / 60_000);
    expect(await minutes()).toBeGreaterThanOrEqual(60);
    await nodes.noteOddAnswer(staged.share.receivedShareId);
    expect(await minutes()).toBe(10);
    expect((await stage.rowOf(staged)).unreachable_since).not.toBeNull();
    await stage.query(`UPDATE received_share SET last_probe_at = now() - interval '1 hour'`);
    await nodes.noteOddAnswer(staged.share.receivedShareId);
    expect(await minutes()).toBeCloseTo(0);
    await nodes.noteSeen(staged.share.receivedShareId);
    expect(await stage.rowOf(staged)).toMatchObject({ unreachable_since: null, failed_probes: 0 });
  });

  it('gets the permissions that its server sends', async () => {
    const staged = await stage.files.share();
    await stage.accept(staged);
    staged.offered.permissions = 1;
    await stage.worker().round();
    expect((await stage.rowOf(staged)).permissions).toBe(1);
  });

  it.each([500, 'HTML with 207', 'cut halfway', 429] as const)(
    'is only marked as unreachable after %s',
    async (fault) => {
      const staged = await stage.files.share();
      await stage.accept(staged);
      staged.partner.misbehave(fault);
      const worker = stage.worker();
      for (let days = 0; days < 4; days++) await worker.round().then(() => stage.letPass(24));
      const row = await stage.rowOf(staged);
      expect(row).toMatchObject({ state: 'accepted', failed_probes: 0, file_target: '/shared' });
      expect(row.unreachable_since!.getTime()).toBeLessThan(Date.now() - 3 * 86_400_000);
      staged.partner.misbehave(null);
      await worker.round();
      expect((await stage.rowOf(staged)).unreachable_since).toBeNull();
    },
  );

  it('keeps the recipient’s decision during a probe', async () => {
    const staged = await stage.files.share();
    await stage.accept(staged);
    const probes = stage.probes;
    const limits = { partners: 10, sharesPerPartner: 10, leaseMs: 60_000 };
    const {
      probes: [probe],
    } = await probes.claim({ peers: [], after: 0 }, limits);
    await stage.query(`UPDATE received_share SET state = 'declined', file_target = NULL, look_at = NULL`);
    const result = { ...probe!, nextProbeAtMs: probe!.nowMs, fileTarget: null };
    expect(await probes.finish(probe!, result)).toBe(false);
    expect(await stage.rowOf(staged)).toMatchObject({ state: 'declined', look_at: null });
  });
});
