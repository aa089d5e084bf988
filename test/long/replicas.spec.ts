import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '#testing';
import { ReplicaStage } from './replica-stage';
import { type Replica } from './replicas';
import { scheduleRuns } from './schedule-runs';
import { isFullForm } from '../../libs/testing/src/full-form';

const LOAD_MS = isFullForm ? 60_000 : 8_000;
const OUTAGE_LOAD_MS = 30_000;
const NO_FAILURE = { putOff: 0, broken: 0, nobody: 0, refused: 0, cut: 0 };

const IN_QUEUE = `SELECT FROM outbox_message WHERE state = 'queued'`;
/** Number of shares made at once, so that some of their messages are in the queue at any moment. */
const BURST = 40;

jest.setTimeout(10 * 60_000);

describe('several processes of each app', () => {
  let stage: ReplicaStage;

  beforeAll(async () => {
    stage = await ReplicaStage.open(isFullForm);
  });
  afterAll(() => stage?.close());
  afterEach(async () => {
    expect(await stage.findings()).toEqual([]);
  });

  it('are restarted one after the other without a failed request', async () => {
    const exitCodes: (number | null)[] = [];
    const ends = await stage.underLoad('SIGTERM', LOAD_MS, () =>
      eachOnce(async (replica) => {
        exitCodes.push((await replica.end('SIGTERM')).code);
        await replica.start();
      }),
    );
    expect(ends).toMatchObject(NO_FAILURE);
    // Exit code 0 means an orderly end; cut requests are counted above.
    expect(exitCodes.filter((code) => code !== 0)).toEqual([]);
    // Each message was sent only once: a stopping worker gave up none.
    expect(await stage.failedAttempts()).toEqual([]);
    const runs = [...(await scheduleRuns(stage.redis))];
    expect(runs).not.toEqual([]);
    expect(runs.filter(([, times]) => times !== 1)).toEqual([]);
  });

  if (isFullForm) itOutlivesFailures();

  function itOutlivesFailures(): void {
    it('are killed, and only requests on cut connections fail', async () => {
      stage.here.proxy.passesOnRefused = true;
      const ends = await stage.underLoad('kill -9', LOAD_MS, () =>
        eachOnce(async (replica) => {
          await replica.end('SIGKILL');
          await replica.start();
        }),
      );
      expect(ends).toMatchObject({ ...NO_FAILURE, cut: expect.any(Number) });
    });

    it('answer 503 while Postgres restarts, cleanly and after a crash', async () => {
      const { postgres, here } = stage;
      const ends = await stage.underLoad('Postgres restarted, then crashed', OUTAGE_LOAD_MS, async () => {
        for (const how of ['fast', 'immediate'] as const) {
          await pause(OUTAGE_LOAD_MS / 5);
          await postgres!.restart(how);
          await here.untilReady();
        }
      });
      expect(ends).toMatchObject({ broken: 0, refused: 0, cut: 0 });
      expect(ends.putOff + ends.nobody).toBeGreaterThan(0);
    });

    it('do not notice that Redis was restarted empty', async () => {
      const { redis, here, load, client } = stage;
      const ends = await stage.underLoad('Redis restarted empty', OUTAGE_LOAD_MS, async () => {
        await pause(OUTAGE_LOAD_MS / 5);
        const sharing = Promise.all(Array.from({ length: BURST }, () => load.federated.goOn(client)));
        await eventually('jobs in Redis', async () => (await here.outbox.query(IN_QUEUE)).length > 0);
        await redis.killAndRestart();
        await sharing;
      });
      expect(ends).toMatchObject(NO_FAILURE);
    });
  }

  /**
   * The full run restarts one process at a time; the short one restarts one of each app first, then the other worker.
   */
  async function eachOnce(restart: (replica: Replica) => Promise<void>): Promise<void> {
    const { here } = stage;
    const { replicas } = here;
    const isFirst = (replica: Replica): boolean =>
      replicas.find(({ app }) => app === replica.app) === replica;
    const turns = isFullForm
      ? replicas.map((replica) => [replica])
      : [
          replicas.filter(isFirst),
          replicas.filter((one) => one.app === 'federation-worker' && !isFirst(one)),
        ];
    for (const together of turns) {
      await Promise.all(together.map(restart));
      await here.untilReady();
    }
  }
});
