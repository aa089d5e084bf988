import { declaredStatements } from '../../libs/persistence/src/statement';
import { everyStatement } from '../../libs/testing/src/rigs/every-statement';
import { explain, plannedAgain, withHotStatements } from './small-organisation';

/** Their usual answer is none, or they return nothing (`node.propagate` and moves of nodes). Every other statement has to find rows: otherwise it would measure nothing. */
const NOTHING_TO_DO = [
  'mount.unplaced',
  'node.move_subtree',
  'node.propagate',
  'outbox.forget_finished',
  'outbox_dispatch.reclaim',
  'share.remove_expired',
  'trash.put',
  'trash.take_out',
];

it('hot statements of the bench run with their values on a small organisation', () =>
  withHotStatements(async (client, statements) => {
    expect(statements.length).toBeGreaterThan(30);
    const withoutRows = new Set<string>();
    for (const statement of statements)
      if ((await explain(client, statement, 'generic')).rows === 0) withoutRows.add(statement.name);
    expect([...withoutRows].sort()).toEqual(NOTHING_TO_DO);
  }));

it('hot statements of the bench include every short read, since a slow one would delay the others', () =>
  withHotStatements(async (_, statements) => {
    const hot = new Set(statements.map(({ name }) => name));
    const short = (await everyStatement(declaredStatements)).filter(({ isShortRead }) => isShortRead);
    expect(short.length).toBeGreaterThan(10);
    expect(short.map(({ name }) => name).filter((name) => !hot.has(name))).toEqual([]);
  }));

it('hot statements of the bench are not planned again for each use', () =>
  withHotStatements(async (client, statements) => {
    expect(await plannedAgain(client, statements)).toEqual([]);
  }));

it('hot statements of the bench read no table of a thousand rows from end to end', () =>
  withHotStatements(async (client, statements) => {
    const large = await client.query("SELECT relname FROM pg_class WHERE relkind = 'r' AND reltuples > 1000");
    const names = large.rows.map(({ relname }) => relname as string);
    expect(names).toEqual(expect.arrayContaining(['node', 'share', 'share_recipient']));
    const scans = new Set<string>();
    for (const statement of statements)
      for (const table of (await explain(client, statement, 'generic')).scanned)
        if (names.includes(table)) scans.add(`${statement.name}: ${table}`);
    expect([...scans]).toEqual([]);
  }, 2000));
