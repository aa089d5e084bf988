import { Writable } from 'node:stream';
import { AuditLogRepository } from '#persistence';
import { actingFor } from '#platform';
import { createTestDatabase, type TestDatabase } from '#testing';
import { parseCommandLine } from '../command-line';
import type { Output } from '../command';
import type { Instance } from '../instance';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
  await test.database.dataSource.query(
    `INSERT INTO audit_event (at, actor_kind, action, object_type, object_id)
     SELECT '2026-01-01'::timestamptz + n * interval '1 minute', 'system', 'spec.act', 'spec', n::text FROM generate_series(1, 2500) n`,
  );
});
afterAll(() => test.drop());

const run = (words: string): Promise<Output> => {
  const { command, input } = parseCommandLine(words.split(' '))!;
  return actingFor({ kind: 'operator' }, () =>
    command.run(input, { open: async () => test.database } as unknown as Instance),
  );
};

/** Runs `work` with a replaced standard output. */
async function printingTo(sink: Writable, work: () => Promise<unknown>): Promise<void> {
  const stdout = Object.getOwnPropertyDescriptor(process, 'stdout')!;
  Object.defineProperty(process, 'stdout', { value: sink, configurable: true });
  try {
    await work();
  } finally {
    Object.defineProperty(process, 'stdout', stdout);
  }
}

/** Lines that `work` writes to standard output. */
async function printed(work: () => Promise<unknown>): Promise<string[]> {
  const chunks: string[] = [];
  const sink = new Writable({
    highWaterMark: 1,
    decodeStrings: false,
    write: (chunk: string, _encoding, done) => {
      chunks.push(chunk);
      setImmediate(done);
    },
  });
  await printingTo(sink, work);
  return chunks.join('').trimEnd().split('\n');
}

describe('audit list', () => {
  it('shows the latest first, and continues before an id', async () => {
    const first = await run('audit list --limit 2 --action spec.act');
    if (first.kind !== 'rows') throw new Error(first.kind);
    expect(first.rows.map(({ objectId }) => objectId)).toEqual(['2500', '2499']);
    const next = await run(`audit list --limit 1 --action spec.act --before ${String(first.rows[1]!.id)}`);
    expect(next).toMatchObject({ rows: [{ objectId: '2498', at: '2026-01-02T17:38:00.000Z' }] });
  });

  it.each(['--outcome odd', '--actor-kind nobody', '--since now', '--limit x'])(
    'refuses %s',
    async (words) => {
      await expect(run(`audit list ${words}`)).rejects.toThrow(/^--/);
    },
  );
});

describe('audit export', () => {
  it('writes every event once, the oldest first, one to a line', async () => {
    const lines = await printed(async () =>
      expect(await run('audit export --object-type spec')).toMatchObject({
        record: { count: 2500 },
        isBeside: true,
      }),
    );
    const events = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(events.map(({ objectId }) => Number(objectId))).toEqual(
      Array.from({ length: 2500 }, (_, index) => index + 1),
    );
    expect(Object.keys(events[0]!)).toEqual([
      ...['id', 'at', 'actorKind', 'actor', 'action', 'objectType', 'objectId', 'outcome'],
      ...['address', 'requestId', 'attempts', 'detail'],
    ]);
  });

  it('writes only the events since a time', async () => {
    const lines = await printed(() =>
      run('audit export --since 2026-01-01T01:00:00Z --until 2026-01-01T02:00:00Z'),
    );
    expect(lines).toHaveLength(60);
  });

  it('reads no faster than standard output accepts', async () => {
    const asked = jest.spyOn(AuditLogRepository.prototype, 'oldest');
    const stuck: Writable = new Writable({
      highWaterMark: 1,
      // When the next statement is answered, everything that is read ahead of the first piece has been requested.
      write: () => void test.database.dataSource.query('SELECT 1').then(() => stuck.destroy()),
    });
    await printingTo(stuck, () => expect(run('audit export --object-type spec')).rejects.toThrow());
    expect(asked.mock.calls.length).toBeLessThan(3);
    asked.mockRestore();
  });
});
