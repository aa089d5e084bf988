#!/usr/bin/env node
// Writes results/index.html from the kept results of all commits, with a plot for each case. It also runs alone: node
// bench/instrument/page.mjs
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { keptResults } from './kept-results.mjs';

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escape = (text) => String(text).replace(/[&<>"]/g, (sign) => ENTITIES[sign]);

const WIDTH = 320;
const HEIGHT = 120;
const MARGIN = 24;

/** One plot: the ratio of each point with its interval, and the aim. */
function plotOf(points, aim) {
  const top = Math.max(1, ...points.map(({ high, ratio }) => Math.min(high ?? ratio, 2 * ratio))) * 1.05;
  const x = (index) => MARGIN + ((index + 0.5) * (WIDTH - 2 * MARGIN)) / points.length;
  const y = (ratio) => HEIGHT - MARGIN - (Math.min(ratio, top) / top) * (HEIGHT - 2 * MARGIN);
  const line = (from, to, style) =>
    `<line x1="${from[0].toFixed(1)}" y1="${from[1].toFixed(1)}" x2="${to[0].toFixed(1)}" y2="${to[1].toFixed(1)}" ${style}/>`;
  const across = (ratio, style) => line([MARGIN, y(ratio)], [WIDTH - MARGIN, y(ratio)], style);
  const marks = points.map(({ ratio, low, high, title }, index) => {
    const bar =
      low == null || high == null
        ? ''
        : line([x(index), y(low)], [x(index), y(high)], 'stroke="#4477aa" stroke-width="2"');
    return `<g><title>${escape(title)}</title>${bar}<circle cx="${x(index).toFixed(1)}" cy="${y(ratio).toFixed(1)}" r="3" fill="#224466"/></g>`;
  });
  return [
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img">`,
    across(0, 'stroke="#999"'),
    across(1, 'stroke="#ccc"'),
    aim === undefined ? '' : across(aim, 'stroke="#aa3333" stroke-dasharray="4 3"'),
    `<text x="0" y="${(y(1) + 4).toFixed(1)}" font-size="10">1</text>`,
    ...marks,
    '</svg>',
  ].join('');
}

const figure = (number, digits = 2) => (number == null ? '' : number.toFixed(digits));
const between = (interval) =>
  interval?.low == null ? '' : `${figure(interval.low)} to ${figure(interval.high)}`;

/** Cases with their points in the order of the commits. */
function casesOf(kept) {
  const cases = new Map();
  for (const { rows, ...source } of kept)
    for (const row of rows) {
      const name = `${row.case} (${row.format ?? ''}), ${row.connections} connections${row.against ? `, beside ${row.against}` : ''}`;
      cases.set(name, [...(cases.get(name) ?? []), { row, source }]);
    }
  return [...cases].sort(([one], [other]) => one.localeCompare(other));
}

function sectionOf([name, measured]) {
  const aim = measured.at(-1).row.aim;
  const points = measured.map(({ row, source }) => ({
    ratio: row.ratio,
    low: row.interval?.low,
    high: row.interval?.high,
    title: `${source.commit} ${source.subject}: ${figure(row.ratio)}`,
  }));
  const lines = measured.map(({ row, source }) => {
    const cells = [
      `${source.commit}${source.changed ? ' (changed)' : ''}`,
      figure(row.ratio),
      between(row.interval),
      figure(row.cpuMsPerRequest, 3),
      figure(row.cpu?.baselineMsPerRequest, 3),
      between(row.cpu?.interval),
      figure(row.p50),
      figure(row.p99),
      figure(row.rssMb, 0),
    ];
    return `<tr>${cells.map((cell) => `<td>${escape(cell)}</td>`).join('')}</tr>`;
  });
  const titles = [
    'commit',
    'ratio',
    '95 %',
    'cpu ms',
    'of baseline',
    'cpu ratio, 95 %',
    'p50 ms',
    'p99 ms',
    'MB',
  ];
  const head = titles.map((title) => `<th>${title}</th>`).join('');
  return `<section><h2>${escape(name)}${aim === undefined ? '' : `, aim ${aim}`}</h2>${plotOf(points, aim)}<table><tr>${head}</tr>${lines.join('\n')}</table></section>`;
}

const machineOf = ({ commit, subject, committedAt, machine }) =>
  `<tr><td>${escape(commit)}</td><td>${escape(committedAt.slice(0, 10))}</td><td>${escape(subject)}</td><td>${escape(
    `${machine.processors} of ${machine.processor}, ${machine.memoryGb} GB, ${machine.system}, Node.js ${machine.node}, ` +
      `PostgreSQL ${machine.postgres}, load ${figure(machine.load, 1)}${machine.pinned ? ', pinned' : ''}`,
  )}</td></tr>`;

/** The page of all kept results. @public for its spec */
export function pageOf(kept) {
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Bench</title>
<style>body{font:14px sans-serif;max-width:1100px;margin:2em auto}table{border-collapse:collapse;margin:.5em 0}td,th{padding:1px 8px;text-align:right;border-bottom:1px solid #ddd}section{margin:2em 0}h2{font-size:15px}</style>
<h1>Bench by commit</h1>
<p>A ratio is requests per second of the gateway beside those of the baseline, or of the other build; the bar is its interval of 95 % confidence, the dashed line the aim. README.md says how it is measured.</p>
<table><tr><th>commit</th><th>of</th><th>subject</th><th>machine</th></tr>${kept.map(machineOf).join('\n')}</table>
${casesOf(kept).map(sectionOf).join('\n')}
</html>
`;
}

export const writePage = (directory) =>
  writeFileSync(join(directory, 'index.html'), pageOf(keptResults(directory)));

if (import.meta.url === pathToFileURL(process.argv[1]).href)
  writePage(join(dirname(fileURLToPath(import.meta.url)), '../results'));
