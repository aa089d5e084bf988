// The universal scalability law (N. J. Gunther): throughput of N processes is
//   X(N) = rate * N / (1 + contention * (N - 1) + coherency * N * (N - 1)),
// where `contention` is the part of the work that only one process can do at a time, and `coherency` the cost of each
// pair of processes that have to agree.

const columns = [() => 1, (n) => n - 1, (n) => n * (n - 1)];

/** Solves a small system of linear equations by elimination. @returns undefined if it has no single solution */
function solve(matrix, right) {
  const rows = matrix.map((row, index) => [...row, right[index]]);
  const size = rows.length;
  for (let at = 0; at < size; at++) {
    const largest = rows
      .slice(at)
      .reduce((best, row) => (Math.abs(row[at]) > Math.abs(best[at]) ? row : best));
    if (Math.abs(largest[at]) < 1e-12) return undefined;
    const index = rows.indexOf(largest);
    [rows[at], rows[index]] = [rows[index], rows[at]];
    for (let other = 0; other < size; other++)
      if (other !== at) {
        const factor = rows[other][at] / rows[at][at];
        for (let column = at; column <= size; column++) rows[other][column] -= factor * rows[at][column];
      }
  }
  return rows.map((row, index) => row[size] / row[index]);
}

/** Least squares for N / X(N), which is linear in the coefficients of `used`; each point weighs the same relative to its size. */
function leastSquares(points, used) {
  const sum = (value) => points.reduce((total, point) => total + value(point), 0);
  const weight = ({ processes, perSecond }) => (perSecond / processes) ** 2;
  const matrix = used.map((one) =>
    used.map((other) => sum((point) => weight(point) * one(point.processes) * other(point.processes))),
  );
  const right = used.map((one) =>
    sum((point) => (weight(point) * one(point.processes) * point.processes) / point.perSecond),
  );
  return solve(matrix, right);
}

/**
 * Fits the law. Coefficients below zero have no meaning, so those are left out and the others are fitted again.
 * @param {{processes: number, perSecond: number}[]} points with at least two different numbers of processes
 * @returns {{rate: number, contention: number, coherency: number}} `rate` in requests per second of one process
 */
export function fitScalability(points) {
  const subsets = [[0, 1, 2], [0, 1], [0, 2], [0]];
  const fits = subsets.flatMap((subset) => {
    const solved = leastSquares(
      points,
      subset.map((index) => columns[index]),
    );
    if (!solved || solved.some((value) => value < 0)) return [];
    const [base, ...rest] = solved;
    const law = { rate: 1 / base, contention: 0, coherency: 0 };
    subset.slice(1).forEach((index, at) => {
      law[index === 1 ? 'contention' : 'coherency'] = rest[at] / base;
    });
    return [{ law, error: points.reduce((total, point) => total + errorAt(law, point) ** 2, 0) }];
  });
  return fits.reduce((best, one) => (one.error < best.error ? one : best)).law;
}

/** @returns requests per second of `processes` processes together */
export function throughputOf({ rate, contention, coherency }, processes) {
  return (rate * processes) / (1 + contention * (processes - 1) + coherency * processes * (processes - 1));
}

/** How far the law is from a measured point, as a part of the measured one: 0.1 if it promises a tenth too much. */
export function errorAt(law, { processes, perSecond }) {
  return throughputOf(law, processes) / perSecond - 1;
}
