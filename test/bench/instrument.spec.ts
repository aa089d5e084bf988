interface Slice {
  count: number;
  elapsed: number;
  cpuMs: number;
  rssMb: number;
  latencies: number[];
}
interface Row {
  case: string;
  format?: string;
  connections: number;
  ratio: number;
}
const actual = <T extends object>(path: string): T => jest.requireActual<T>(`../../bench/${path}.mjs`);

const { interleaved, rowOfSlices } = actual<{
  interleaved<T>(
    sides: string[],
    rounds: number,
    take: (side: string) => Promise<T>,
  ): Promise<Record<string, T[]>>;
  rowOfSlices(
    product: Slice[],
    baseline: Slice[],
  ): { ratio: number; interval: { ratio: number }; cpu: { interval: { ratio: number } } };
}>('instrument/slices');
const { pinningPlan } = actual<{ pinningPlan(processors: number): Record<string, string> | undefined }>(
  'instrument/pinning',
);
const { mergedRows, latestOf } = actual<{
  mergedRows(earlier: Row[], later: Row[]): Row[];
  latestOf(row: object): object;
}>('instrument/kept-results');
const { pageOf } = actual<{ pageOf(kept: object[]): string }>('instrument/page');
const { readOptions } = actual<{ readOptions(words: string[]): object }>('options');
const { stageOf, timeBy } = actual<{
  stageOf(frames: string[]): string;
  timeBy(profile: object, keyOf: (frames: string[]) => string): Map<string, number>;
}>('profile/stages');
const { flameGraphOf } = actual<{ flameGraphOf(profile: object): string }>('profile/flame-graph');

const slice = (count: number, cpuMs: number): Slice => ({
  count,
  elapsed: 1,
  cpuMs,
  rssMb: 100,
  latencies: [1],
});

describe('slices', () => {
  it('alternate, with each side first equally often', async () => {
    const order: string[] = [];
    const slices = await interleaved(['a', 'b'], 4, (side) => Promise.resolve(order.push(side)));
    expect(order.join('')).toBe('abbaabba');
    expect(slices).toEqual({ a: [1, 4, 5, 8], b: [2, 3, 6, 7] });
  });

  it('give the ratios of throughput and of processor time', () => {
    const row = rowOfSlices([slice(50, 100), slice(10, 20)], [slice(100, 100), slice(20, 20)]);
    expect(row.ratio).toBeCloseTo(0.5);
    expect(row.interval.ratio).toBeCloseTo(0.5);
    expect(row.cpu.interval.ratio).toBeCloseTo(0.5);
  });
});

it.each([
  [2, undefined],
  [4, { load: '0', servers: '1', postgres: '2-3' }],
  [8, { load: '0', servers: '1-2', postgres: '3-7' }],
])('processes on %d processors are pinned to %j', (processors, plan) => {
  expect(pinningPlan(processors)).toEqual(plan);
});

describe('results', () => {
  const row = { case: 'one share', format: 'json', connections: 16, ratio: 0.5 };

  it('of a commit are completed, and replaced by a new measurement', () => {
    const other = { ...row, connections: 1 };
    expect(mergedRows([row, other], [{ ...row, ratio: 0.6 }])).toEqual([{ ...row, ratio: 0.6 }, other]);
  });

  it('in latest.json keep their format', () => {
    const keys = [
      'case',
      'connections',
      'format',
      'product',
      'baseline',
      'ratio',
      'p50',
      'p99',
      'cpuMsPerRequest',
      'rssMb',
    ];
    expect(Object.keys(latestOf({ ...row, interval: {}, aim: 1 }))).toEqual(keys);
  });

  it('become a page with their values, whatever their names are', () => {
    const source = {
      commit: 'abc',
      subject: '<script>',
      committedAt: '2026-01-01',
      machine: { processors: 2 },
    };
    const interval = { low: 0.4, high: 0.6 };
    const page = pageOf([{ ...source, rows: [{ ...row, aim: 0.75, interval }] }]);
    expect(page).toContain('one share (json), 16 connections, aim 0.75');
    expect(page).toContain('0.40 to 0.60');
    expect(page).not.toContain('<script>');
  });
});

describe('options', () => {
  it('are ten pairs of a second, and three for a quick run', () => {
    expect(readOptions([])).toMatchObject({ seconds: 1, rounds: 10, connections: undefined });
    expect(readOptions(['--quick'])).toMatchObject({ rounds: 3, connections: [16] });
    expect(readOptions(['--connections', '1,64', '--rounds', '5'])).toMatchObject({
      connections: [1, 64],
      rounds: 5,
    });
  });

  it.each([['--seconds', '0'], ['--rounds', 'many'], ['--connections', '1,x'], ['--unknown']])(
    '%s %s are refused',
    (...words) => {
      expect(() => readOptions(words)).toThrow();
    },
  );
});

describe('a profile', () => {
  const call = (id: number, functionName: string, url: string, children: number[] = []) => ({
    id,
    callFrame: { functionName, url },
    children,
  });
  const profile = {
    nodes: [
      call(1, '(root)', '', [2, 4]),
      call(2, 'query', 'file:///x/node_modules/pg/lib/client.js', [3]),
      call(3, 'writev', 'node:net'),
      call(4, '(idle)', ''),
    ],
    samples: [3, 3, 2, 4],
    timeDeltas: [100, 50, 10, 1000],
  };

  it.each([
    [['writev node:net', 'query file:///x/node_modules/pg/lib/client.js'], 'database round trips'],
    [['writev node:net', 'onread node:internal/stream_base_commons'], 'socket'],
    [
      [
        'canActivate file:///x/dist/libs/identity/src/account.guard.js',
        'f file:///x/node_modules/@nestjs/core/a.js',
      ],
      'guard',
    ],
    [['route file:///x/node_modules/find-my-way/index.js'], 'routing'],
    [['post node:inspector', 'f file:///x/bench/profile/agent.cjs', 'emit node:events'], 'instrument'],
    [['(garbage collector) ', 'query file:///x/node_modules/pg/lib/client.js'], 'garbage collection'],
  ])('gives %j to %s', (frames, stage) => {
    expect(stageOf(frames)).toBe(stage);
  });

  it('is summed by stage', () => {
    expect(Object.fromEntries(timeBy(profile, stageOf))).toEqual({ 'database round trips': 160, idle: 1000 });
  });

  it('is drawn without idle time', () => {
    const graph = flameGraphOf(profile);
    expect(graph).toContain('writev node:net: 93.8 %');
    expect(graph).not.toContain('idle');
  });
});
