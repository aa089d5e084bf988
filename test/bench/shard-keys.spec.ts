import { readFileSync } from 'node:fs';
import { CURRENT_FORMS } from '../../libs/persistence/src/functions';
import { declaredStatements } from '../../libs/persistence/src/statement';
import { everyStatement } from '../../libs/testing/src/rigs/every-statement';
import { explain, withHotStatements, type Plan } from './small-organisation';

const { EVERYWHERE, SHARDED_BY, SHARD_KEYS, reachOf, tableOfShardKeys } = jest.requireActual<{
  EVERYWHERE: string[];
  SHARDED_BY: Record<string, string>;
  SHARD_KEYS: Record<string, Record<string, string>>;
  reachOf(sources: Record<string, string>): string;
  tableOfShardKeys(): string;
}>('../../bench/scale/shard-keys.mjs');
const tablesOf = ({ 'Relation Name': table, Plans: below = [] }: Plan): string[] => [
  ...(table === undefined ? [] : [table]),
  ...below.flatMap(tablesOf),
];

const FUNCTION = /FUNCTION (\w+)\([^$]*?AS \$\$(.*?)\$\$/gs;
const functions = CURRENT_FORMS.flatMap((form) =>
  [...form.functions.matchAll(FUNCTION)].map(([, name, body]) => ({ name: name!, body: body! })),
);
const schema = readFileSync('docs/schema.sql', 'utf8');

/** Tables that functions read which the statement calls: its plan does not show them. */
const tablesOfFunctionsIn = (text: string): string[] =>
  functions
    .filter(({ name }) => text.includes(`${name}(`))
    .flatMap(({ body }) => [...body.matchAll(/\b(?:FROM|JOIN) ([a-z_]+)/g)].map(([, table]) => table!))
    .filter((table) => schema.includes(`CREATE TABLE ${table} (`));

describe('the design for several database servers', () => {
  it('has a shard key for each table of each frequent statement, as their plans and functions read them', () =>
    withHotStatements(async (client, statements) => {
      const read: Record<string, string[]> = {};
      for (const statement of statements) {
        const { plan } = await explain(client, statement, 'generic');
        const tables = [...tablesOf(plan), ...tablesOfFunctionsIn(statement.text)];
        read[statement.name] = [...new Set(tables)].filter((table) => !EVERYWHERE.includes(table)).sort();
      }
      const designed = Object.entries(SHARD_KEYS).map(([name, keys]) => [name, Object.keys(keys).sort()]);
      expect(Object.fromEntries(designed)).toEqual(read);
    }));

  it('places every table, by a column that it has or that is named as new', () => {
    const sharded = new Set(Object.values(SHARD_KEYS).flatMap(Object.keys));
    expect(Object.keys(SHARDED_BY).sort()).toEqual([...sharded].sort());
    for (const [table, column] of Object.entries(SHARDED_BY)) {
      const columns = new RegExp(`CREATE TABLE ${table} \\(([^;]+)\\);`).exec(schema)![1]!;
      if (!column.startsWith('new: ')) expect(columns).toMatch(new RegExp(`^ +${column} `, 'm'));
    }
    for (const table of EVERYWHERE) expect(schema).toContain(`CREATE TABLE ${table} (`);
  });

  it('takes keys from parameters that the statements have', async () => {
    const declared = new Map(
      (await everyStatement(declaredStatements)).map(({ name, order }) => [name, order]),
    );
    for (const [name, keys] of Object.entries(SHARD_KEYS))
      for (const source of Object.values(keys))
        if (source.startsWith(':'))
          expect([name, declared.get(name)]).toEqual([name, expect.arrayContaining([source.slice(1)])]);
  });

  it('tells how many shards a statement needs', () => {
    expect(reachOf({ node: ':uid', share: ':uid' })).toBe('one');
    expect(reachOf({ share: ':ownerUid', share_recipient: ':recipient' })).toBe('two');
    expect(reachOf({ share_recipient: ':uid', share: 'found' })).toBe('several');
    expect(reachOf({ outbox_message: 'everyone' })).toBe('all');
    expect(reachOf({})).toBe('any one');
  });

  it('is the table of the documentation', () => {
    const cells = (text: string): string[] =>
      text.split('\n').map((line) =>
        line
          .split('|')
          .map((cell) => cell.trim().replace(/^-+$/, '---'))
          .join('|'),
      );
    const documented = cells(readFileSync('docs/operations/scale.md', 'utf8'));
    for (const row of cells(tableOfShardKeys())) expect(documented).toContain(row);
  });
});
