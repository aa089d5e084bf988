// The table on the terminal.
import { verdictOf } from './instrument/statistics.mjs';

const COLUMNS = [
  ['case', 46],
  ['fmt', 5],
  ['conn', 5],
  ['gateway/s', 10],
  ['baseline/s', 11],
  ['ratio', 7],
  ['95 %', 13],
  ['aim', 6],
  ['p50 ms', 8],
  ['p99 ms', 8],
  ['cpu ms', 8],
  ['cpu ratio', 19],
  ['rss MB', 7],
];

const line = (cells) =>
  cells
    .map((cell, index) =>
      index < 2 ? String(cell).padEnd(COLUMNS[index][1]) : String(cell).padStart(COLUMNS[index][1]),
    )
    .join('');

/** @param {string} [note] above the table */
export function printTitle(note) {
  if (note) console.log(note);
  console.log(line(COLUMNS.map(([name]) => name)));
}

const perSecond = (figure) => (figure < 10 ? figure.toFixed(2) : Math.round(figure));

const between = (interval) =>
  Number.isFinite(interval?.high) ? `${interval.low.toFixed(2)}-${interval.high.toFixed(2)}` : '';

/** Processor time per request of the baseline, divided by the product's: above 1 if the product needs less. */
const cpuRatio = (interval) => (interval ? `${interval.ratio.toFixed(2)} ${between(interval)}` : '');

/** @param {object} row one result @param {number} [aim] the aim, as a part of the baseline */
export function printRow(row, aim) {
  console.log(
    line([
      row.case,
      row.format,
      row.connections,
      perSecond(row.product),
      perSecond(row.baseline),
      row.ratio.toFixed(2),
      between(row.interval),
      aim?.toFixed(2) ?? '',
      row.p50.toFixed(2),
      row.p99.toFixed(2),
      row.cpuMsPerRequest.toFixed(3),
      cpuRatio(row.cpu?.interval),
      row.rssMb.toFixed(0),
    ]),
  );
}

/** The line of a case that could not be measured; the end of the run names the reason. */
export function printFailure({ case: name, format }) {
  console.log(line([name, format ?? '', '', 'failed']));
}

/** Names the cases below their aim, and whether the interval of their ratio contains it. */
export function printAims(results) {
  const below = results.filter(({ aim, ratio }) => aim !== undefined && ratio < aim);
  console.log(`\n${results.length - below.length} of ${results.length} rows reach their aim.`);
  for (const { case: name, format, connections, ratio, interval, aim } of below) {
    const open = interval && verdictOf(interval, aim) === 'open' ? ' (the interval leaves it open)' : '';
    console.log(`  below: ${name} (${format}), ${connections} connections: ${ratio.toFixed(2)}${open}`);
  }
}

/**
 * Compares large sets of data with small ones: requests per second and processor time of the large set, divided by
 * those of the small one.
 */
export function printPairs(results, pairs, aim) {
  const rowOf = (name, connections) =>
    results.find((row) => row.case === name && row.connections === connections);
  for (const { name, small, large } of pairs) {
    for (const { connections } of results.filter((row) => row.case === small)) {
      const [few, many] = [rowOf(small, connections), rowOf(large, connections)];
      if (many === undefined) continue;
      const rate = many.product / few.product;
      const cpu = many.cpuMsPerRequest / few.cpuMsPerRequest;
      const verdict = rate < aim ? 'below' : 'reaches';
      console.log(
        `${name}, ${connections} connections: ${rate.toFixed(2)} of the requests per second ` +
          `(${verdict} the aim of ${aim}), ${cpu.toFixed(2)} of the processor time of each`,
      );
    }
  }
}
