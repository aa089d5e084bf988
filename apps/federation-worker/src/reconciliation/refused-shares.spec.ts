import { ONE_REFUSAL_LEFT } from '#federation/exchange';
import { ReceivedShareRepository, RemoteNodeRepository } from '#persistence';
import type { StagedShare } from '../../../../libs/testing/src/rigs/partner-files-stage';
import { propfindsAt, ShareWatchStage } from '../../../../libs/testing/src/rigs/share-watch-stage';

let stage: ShareWatchStage;
beforeAll(async () => void (stage = await ShareWatchStage.start()));
afterEach(() => stage.clear());
afterAll(() => stage.files.end());

const isMounted = async ({ share }: StagedShare): Promise<boolean> =>
  (await stage.query('SELECT 1 FROM storage WHERE received_share_id = $1', [share.receivedShareId]))
    .length === 1;

describe('a share that its server refuses', () => {
  it.each([401, 403, 404] as const)('with %s is quarantined, and keeps its place', async (fault) => {
    const staged = await stage.quarantined(stage.worker(), fault);
    expect(await stage.rowOf(staged)).toMatchObject({
      state: 'quarantined',
      failed_probes: 1,
      file_target: '/shared',
    });
    expect(await isMounted(staged)).toBe(true);
  });

  it('is probed at once when its content is read', async () => {
    const staged = await stage.quarantined(stage.worker());
    expect((await stage.rowOf(staged)).look_at!.getTime()).toBeGreaterThan(Date.now() + 60_000);
    await new RemoteNodeRepository(stage.files.test.database).noteSeen(staged.share.receivedShareId);
    const row = await stage.rowOf(staged);
    expect(row).toMatchObject({ state: 'quarantined', failed_probes: 1 });
    expect(row.look_at!.getTime()).toBeLessThanOrEqual(Date.now());
  });

  it('ends at once after a message with its secret about the end, unless its server still shows it', async () => {
    const worker = stage.worker();
    const staged = await stage.quarantined(worker);
    const [known] = await stage.query<{ provider_id: string; token_hmac: Buffer }>(
      'SELECT provider_id, token_hmac FROM received_share WHERE id = $1',
      [staged.share.receivedShareId],
    );
    const doubt = async (): Promise<void> => {
      const { database } = stage.files.test;
      const { provider_id: providerId, token_hmac: tokenHmac } = known!;
      await new ReceivedShareRepository(database).doubt(
        database,
        { providerId, tokenHmac },
        ONE_REFUSAL_LEFT,
      );
      await stage.letPass(1);
      await worker.round();
    };
    staged.partner.misbehave(null);
    await doubt();
    expect(await stage.rowOf(staged)).toMatchObject({ state: 'accepted', failed_probes: 0 });
    staged.partner.misbehave(404);
    await doubt();
    expect(await stage.rowOf(staged)).toMatchObject({ state: 'gone' });
  });

  it('returns with the next answer', async () => {
    const worker = stage.worker();
    const staged = await stage.quarantined(worker);
    staged.partner.misbehave(null);
    await stage.letPass(1);
    await worker.round();
    expect(await stage.rowOf(staged)).toMatchObject({
      state: 'accepted',
      failed_probes: 0,
      quarantined_at: null,
    });
  });

  it('ends after three refusals within a day, not before, and returns when its server shows it', async () => {
    const worker = stage.worker();
    const staged = await stage.quarantined(worker);
    const states: string[] = [];
    for (const hours of [6, 6, 6, 5]) {
      await stage.letPass(hours);
      await worker.round();
      states.push((await stage.rowOf(staged)).state);
    }
    expect(states).toEqual(['quarantined', 'quarantined', 'quarantined', 'quarantined']);
    expect((await stage.rowOf(staged)).failed_probes).toBe(2);
    await stage.letPass(1);
    await worker.round();
    expect(await stage.rowOf(staged)).toMatchObject({ state: 'gone', failed_probes: 3 });
    expect(await isMounted(staged)).toBe(false);
    staged.partner.misbehave(null);
    await stage.letPass(24 * 20);
    await worker.round();
    expect(await stage.rowOf(staged)).toMatchObject({
      state: 'accepted',
      gone_at: null,
      file_target: '/shared',
    });
    expect(await isMounted(staged)).toBe(true);
  });

  it('returns under another name if its name is taken', async () => {
    const worker = stage.worker();
    const staged = await stage.quarantined(worker);
    for (const hours of [12, 12]) await stage.letPass(hours).then(() => worker.round());
    expect((await stage.rowOf(staged)).state).toBe('gone');
    const second = staged.partner.share('other');
    const other = await stage.files.shares.receive(staged.partner, second);
    await stage.accept({ ...staged, share: other });
    staged.partner.misbehave(null);
    await stage.letPass(1);
    await worker.round();
    expect(await stage.rowOf(staged)).toMatchObject({ state: 'accepted', file_target: '/shared (2)' });
  });

  it('does not end while its server fails', async () => {
    const staged = await stage.files.share();
    await stage.accept(staged);
    staged.partner.misbehave(401);
    const worker = stage.worker(false);
    for (let days = 0; days < 4; days++) await worker.round().then(() => stage.letPass(24));
    const row = await stage.rowOf(staged);
    expect(row).toMatchObject({ state: 'accepted', failed_probes: 0 });
    expect(row.unreachable_since).not.toBeNull();
  });

  it('causes one discovery of its server, for any number of refused shares', async () => {
    const staged = await stage.files.share();
    await stage.crowd(staged, 8);
    staged.partner.misbehave(401);
    await stage.worker().round();
    expect(propfindsAt(staged.partner)).toHaveLength(8);
    // One to access the content, and one to judge the refusals.
    expect(staged.partner.seen('GET').filter((one) => one === 'GET /ocm-provider/')).toHaveLength(2);
  });

  it('is removed a month after its end', async () => {
    const worker = stage.worker();
    const staged = await stage.quarantined(worker);
    for (const hours of [12, 12]) await stage.letPass(hours).then(() => worker.round());
    const probes = stage.probes;
    await stage.letPass(24 * 29);
    expect(await probes.forgetEnded(30, 10)).toBe(0);
    await stage.letPass(24 * 2);
    await worker.round();
    expect((await stage.rowOf(staged)).look_at).toBeNull();
    expect(await probes.forgetEnded(30, 10)).toBe(1);
    expect(await stage.query('SELECT 1 FROM outbox_message')).toEqual([]);
  });
});
