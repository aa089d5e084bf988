type Row = (string | number | null)[];

interface Organisations {
  Organisation: new (
    shares: number,
    emit: (table: string, values: Row) => void,
  ) => { write(): Promise<{ shares: number; nodes: number }> };
}
const { Organisation } = jest.requireActual<Organisations>('../../bench/scale/organisation.mjs');
const { columnsOf, TABLES } = jest.requireActual<{ columnsOf(table: string): string[]; TABLES: string[] }>(
  '../../bench/scale/tables.mjs',
);
const { copyLine } = jest.requireActual<{ copyLine(values: unknown[]): string }>(
  '../../bench/scale/copy-in.mjs',
);
const { partsOf, random } = jest.requireActual<{
  partsOf(total: number, count: number, next: () => number, most: number): Uint32Array;
  random(seed: number): () => number;
}>('../../bench/scale/skew.mjs');

const SHARES = 3000;
let rows: Map<string, Record<string, string | number | null>[]>;
beforeAll(async () => {
  rows = new Map(TABLES.map((table) => [table, []]));
  await new Organisation(SHARES, (table, values) => {
    expect(values).toHaveLength(columnsOf(table).length);
    rows
      .get(table)!
      .push(Object.fromEntries(columnsOf(table).map((column, index) => [column, values[index] ?? null])));
  }).write();
});

const of = (table: string) => rows.get(table)!;
const distinct = (table: string, ...columns: string[]) =>
  new Set(of(table).map((row) => columns.map((column) => row[column]).join('|'))).size;

describe('an organisation', () => {
  it('has as many shares as asked for, of all kinds, and five nodes for each', () => {
    expect(of('share')).toHaveLength(SHARES);
    expect(new Set(of('share').map(({ share_type }) => share_type))).toEqual(new Set([0, 1, 3, 6]));
    expect(of('node').length).toBeGreaterThanOrEqual(5 * SHARES);
  });

  it('breaks no rule of its tables', () => {
    expect(distinct('node', 'storage_id', 'path')).toBe(of('node').length);
    expect(distinct('node', 'parent_id', 'name')).toBe(of('node').length - of('user_account').length + 1);
    const once = of('share').filter(({ share_type }) => share_type !== 3);
    expect(
      new Set(once.map((row) => `${row.node_id}|${row.share_type}|${row.recipient_canonical}`)).size,
    ).toBe(once.length);
    expect(distinct('share_recipient', 'share_id', 'uid')).toBe(of('share_recipient').length);
    expect(distinct('group_member', 'gid', 'uid')).toBe(of('group_member').length);
    const nodes = new Map(of('node').map((node) => [node.id, node]));
    for (const share of of('share')) {
      expect(nodes.get(share.node_id)!.owner_uid).toBe(share.owner_uid);
      expect(share.recipient_canonical).not.toBe(share.owner_uid);
      expect(share.share_type === 6).toBe(share.delivery_state !== null && share.peer_id !== null);
    }
  });

  it('gives its probes lists of the same length in every size', () => {
    expect(of('share').filter(({ owner_uid }) => owner_uid === 'lister')).toHaveLength(100);
    expect(of('share_recipient').filter(({ uid }) => uid === 'receiver')).toHaveLength(100);
    expect(of('share').filter(({ owner_uid }) => owner_uid === 'quiet')).toEqual([]);
  });

  it('has few owners of many shares, and many of few', () => {
    const counts = new Map<unknown, number>();
    for (const { owner_uid } of of('share')) counts.set(owner_uid, (counts.get(owner_uid) ?? 0) + 1);
    const sorted = [...counts.values()].sort((one, other) => other - one);
    expect(sorted[0]!).toBeGreaterThan(5 * sorted[sorted.length >> 1]!);
  });
});

it('parts add up to the whole, and none is above the bound', () => {
  const parts = partsOf(10_000, 50, random(1), 400);
  expect(parts.reduce((sum, part) => sum + part, 0)).toBe(10_000);
  expect(Math.max(...parts)).toBeLessThanOrEqual(400);
});

it('rows are written as COPY reads them', () => {
  expect(copyLine(['a\tb', null, 7, 'c\\d\n'])).toBe('a\\tb\t\\N\t7\tc\\\\d\\n\n');
});
