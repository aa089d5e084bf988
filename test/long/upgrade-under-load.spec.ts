import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '#testing';
import { commitOf, EarlierProgram, lastKeptSchema } from './earlier-program';
import { hurry } from './faults';
import { LoadClient } from './load-client';
import { findingsAfter } from './load-findings';
import { MixedLoad, THERE } from './mixed-load';
import { Organisation } from './organisation';
import type { Ends } from './proxy-tally';
import { openMessages } from './share-ends';
import { UpgradeStage } from './upgrade-stage';
import { isFullForm } from '../../libs/testing/src/full-form';

jest.setTimeout(10 * 60_000);

const schema = lastKeptSchema();
const commit = isFullForm ? commitOf(schema) : undefined;
const NOT_THERE = `skipped: the history of this clone does not reach back to the program of ${schema}`;
const NO_FAILURE = { putOff: 0, broken: 0, nobody: 0, refused: 0, cut: 0 };
const SETTLE_MS = 3_000;
const RECOVERY_LIMIT_MS = 90_000;
const WAY_MS = 40;

const TABLES = `SELECT format('%I', tablename) AS name FROM pg_tables WHERE schemaname = 'public'`;
/** A possible change of a later version: one more column in every table. */
const later = (table: string): string => `DO $$ BEGIN
  SET LOCAL lock_timeout = '500ms';
  ALTER TABLE ${table} ADD COLUMN of_a_later_version text DEFAULT '';
END $$`;
const NOTE_LATER = `INSERT INTO schema_migration (timestamp, name) VALUES (9999999999999, 'Later')`;

describe(`an upgrade from ${schema}`, () => {
  let stage: UpgradeStage;

  beforeAll(async () => {
    stage = await UpgradeStage.open(schema);
  });
  afterAll(() => stage?.close());

  it('today’s programs wait for it: they refuse the old schema', async () => {
    const refused = await stage.tryToday('share-api');
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.output).toContain("run 'drawbridge migrate' first");
  });

  if (commit) underLoadOf(commit);
  else if (isFullForm) it.skip(NOT_THERE, () => undefined);

  function underLoadOf(released: string): void {
    let earlier: EarlierProgram;
    let there: Organisation;
    let client: LoadClient;
    let load: MixedLoad;

    beforeAll(async () => {
      earlier = await EarlierProgram.build(released);
      const roles = ['share-api', 'federation-api', 'worker'] as const;
      there = await Organisation.found({ roles, wayMs: WAY_MS }, async (world) => {
        for (const uid of ['zoe', ...THERE.users]) await world.addUser(uid);
        for (const file of THERE.files) await world.put('zoe', file);
      });
      await there.startAll();
      client = new LoadClient(stage.proxy.url);
      load = new MixedLoad(client, new LoadClient(there.url), stage, there);
    });
    afterAll(async () => {
      await there?.close();
      earlier?.remove();
    });

    it('fails no request and loses nothing while schema and programs are replaced under load', async () => {
      expect(await stage.migrate(earlier.directory)).toContain('The schema is up to date');
      await stage.start(earlier.directory);
      await stage.people();
      await there.outbox.addPeer(stage.host, { concurrency: 8 });
      await stage.addPeer(there.host);
      const ends = await underLoad(async () => {
        await pause(SETTLE_MS);
        // Two at once, as with replicas that start together.
        const said = await Promise.all([stage.migrate(), stage.migrate()]);
        expect(said.filter((sentence) => sentence.includes('Applied'))).toHaveLength(1);
        await pause(SETTLE_MS);
        // Releases with that schema refuse new requests after the stop signal.
        expect(await stage.roll({ leaving: true })).toEqual([]);
        await pause(SETTLE_MS);
      });
      // Messages of a partner that signs get 503 until a present program can read its keys; other partners' messages do
      // not.
      expect(ends).toMatchObject({ ...NO_FAILURE, putOff: expect.any(Number) });
      expect(stage.proxy.tally.putOff.filter((what) => !what.startsWith('POST /ocm/'))).toEqual([]);
    });

    it('older programs run and start on the newer schema', async () => {
      const ends = await underLoad(async () => {
        for (const { name } of await stage.outbox.query<{ name: string }>(TABLES)) await alter(later(name));
        await stage.outbox.query(NOTE_LATER);
        await pause(SETTLE_MS);
        expect(await stage.roll()).toEqual([]);
      });
      expect(ends).toMatchObject(NO_FAILURE);
    });

    /** Does `work` under load, waits until every message has arrived, and expects that nothing is lost or doubled. */
    async function underLoad(work: () => Promise<void>): Promise<Ends> {
      stage.proxy.tally.take();
      const ending = new AbortController();
      const going = load.run(ending.signal);
      try {
        await work();
      } finally {
        ending.abort();
        await going;
      }
      const ends = stage.proxy.tally.take();
      process.stderr.write(`upgrade from ${schema} under load: requests ${JSON.stringify(ends)}\n`);
      const isQuiet = async (): Promise<boolean> => (await openMessages(stage, there)) === 0;
      // Messages that got 503 are normally sent again some minutes later.
      const over = new AbortController();
      const hurrying = hurry([stage, there], over.signal);
      await eventually('the arrival of all messages', isQuiet, RECOVERY_LIMIT_MS).finally(() => over.abort());
      await hurrying;
      const findings = await findingsAfter(load, stage, there);
      expect([...client.wrong, ...stage.proxy.tally.broken, ...findings]).toEqual([]);
      return ends;
    }

    /** Runs it as migrations run: again if the table is locked. */
    async function alter(statement: string): Promise<void> {
      await eventually('a table to be let go', () =>
        stage.outbox.query(statement).then(
          () => true,
          () => false,
        ),
      );
    }
  }
});
