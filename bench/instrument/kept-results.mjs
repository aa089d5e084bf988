// Figures by commit, in results/commits: one file for each commit, which later runs of the same commit complete.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Keys of a row in results/latest.json; other programs read this form. */
const LATEST = [
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

export const latestOf = (row) => Object.fromEntries(LATEST.map((key) => [key, row[key]]));

const keyOf = ({ case: name, format, connections, against }) =>
  [name, format, connections, against].join('|');

/** Rows of two runs: a later row replaces an earlier one of the same case. @public for its spec */
export function mergedRows(earlier, later) {
  const rows = new Map(earlier.map((row) => [keyOf(row), row]));
  for (const row of later) rows.set(keyOf(row), row);
  return [...rows.values()];
}

const rounded = (_key, value) => {
  if (typeof value !== 'number') return value;
  return Number.isFinite(value) ? Number(value.toPrecision(5)) : null;
};

/**
 * @param {string} directory of results
 * @param {{commit: string, changed: boolean}} source of the figures; figures of changed files are kept in a file beside
 *   the commit's
 */
export function keepResults(directory, source, machine, rows) {
  const folder = join(directory, 'commits');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${source.commit}${source.changed ? '-changed' : ''}.json`);
  const known = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { rows: [] };
  const measuredAt = new Date().toISOString();
  const dated = rows.map((row) => ({ ...row, measuredAt }));
  const kept = { ...source, machine, rows: mergedRows(known.rows, dated) };
  writeFileSync(file, `${JSON.stringify(kept, rounded, 1)}\n`);
  return file;
}

/** All kept figures, the earliest commit first. */
export function keptResults(directory) {
  const folder = join(directory, 'commits');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
    .sort((one, other) => Date.parse(one.committedAt) - Date.parse(other.committedAt));
}
