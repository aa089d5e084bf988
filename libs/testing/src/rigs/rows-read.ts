import type { Database } from '#persistence';

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/**
 * Rows of one table that a statement reads, with a generic plan. It is run and rolled back.
 * @param text with `$1` and so on
 * @param values in SQL syntax, separated by commas
 */
export async function rowsRead(
  { dataSource }: Database,
  table: string,
  text: string,
  values: string,
): Promise<number> {
  const runner = dataSource.createQueryRunner();
  try {
    await runner.query('BEGIN; SET LOCAL plan_cache_mode = force_generic_plan');
    await runner.query(`PREPARE measured AS ${text}`);
    const explained = `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE measured(${values})`;
    const [row] = (await runner.query(explained)) as { 'QUERY PLAN': [{ Plan: Plan }] }[];
    const reads = nodesOf(row!['QUERY PLAN'][0].Plan).filter(
      (node) => node['Relation Name'] === table && node['Node Type'].endsWith('Scan'),
    );
    const rowsOf = (node: Plan): number => node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0);
    return reads.reduce((sum, node) => sum + rowsOf(node) * node['Actual Loops'], 0);
  } finally {
    await runner.query('DEALLOCATE measured');
    await runner.query('ROLLBACK');
    await runner.release();
  }
}
