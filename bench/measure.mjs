// One measurement: autocannon against one server, with the processor time and memory of the server's process.
import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';
import { transferLarge } from './large-transfer.mjs';
import methods from 'autocannon/lib/httpMethods.js';
import { cpuMs } from './instrument/processor-time.mjs';
import { percentile } from './instrument/statistics.mjs';

// autocannon can send any method, but refuses those that are missing in its list.
methods.push('PROPFIND');

/** A slice without an answer is repeated with twice the length, up to this limit. */
const LONGEST_SECONDS = 8;

function rssMb(pid) {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
}

/**
 * Requests `url` for `seconds` through `connections` connections.
 *
 * @param {{url: string, pid: number}} server
 * @param {{method?: string, path?: string, headers: object, next?: () => object}} request `next` gives the parts that
 *   change with each request
 * @returns requests per second, latencies and processor time in milliseconds, memory in MB
 * @throws Error if any answer was not 2xx: refusals would be faster
 */
export async function measure(server, request, { connections, seconds }) {
  if (request.isLarge) return measureLarge(server, request);
  for (let longer = seconds; ; longer *= 2) {
    const slice = await measureOnce(server, request, { connections, seconds: longer });
    if (slice.count > 0) return slice;
    if (longer > LONGEST_SECONDS) throw new Error(`${server.url}: no answer within ${longer} seconds`);
  }
}

/** One transfer of a large file, without a limit of time. */
async function measureLarge(server, request) {
  const cpuBefore = cpuMs(server.pid);
  const startedAt = performance.now();
  await transferLarge(server, request);
  const ms = performance.now() - startedAt;
  return {
    count: 1,
    elapsed: ms / 1000,
    latencies: [ms],
    cpuMs: cpuMs(server.pid) - cpuBefore,
    rssMb: rssMb(server.pid),
  };
}

async function measureOnce(server, request, { connections, seconds }) {
  const { next, ...constant } = request;
  const latencies = [];
  const cpuBefore = cpuMs(server.pid);
  const startedAt = performance.now();
  const run = autocannon({
    url: server.url,
    connections,
    duration: seconds,
    requests: [{ ...constant, ...(next ? { setupRequest: (sent) => ({ ...sent, ...next() }) } : {}) }],
  });
  run.on('response', (_client, _status, _bytes, responseMs) => latencies.push(responseMs));
  const result = await run;
  const elapsed = (performance.now() - startedAt) / 1000;
  if (result.non2xx > 0 || result.errors > 0) {
    const what = `${result.non2xx} refused and ${result.errors} broken of ${latencies.length} answers`;
    throw new Error(`${constant.method ?? 'GET'} ${server.url}${constant.path ?? ''}: ${what}`);
  }
  latencies.sort((a, b) => a - b);
  return {
    count: latencies.length,
    elapsed,
    latencies,
    cpuMs: cpuMs(server.pid) - cpuBefore,
    rssMb: rssMb(server.pid),
  };
}

/** Combines several measurements of the same case into one row of figures. */
export function combined(parts) {
  const count = parts.reduce((sum, part) => sum + part.count, 0);
  const latencies = Float64Array.from(parts.flatMap((part) => part.latencies)).sort();
  return {
    perSecond: count / parts.reduce((sum, part) => sum + part.elapsed, 0),
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    cpuMsPerRequest: parts.reduce((sum, part) => sum + part.cpuMs, 0) / count,
    rssMb: Math.max(...parts.map((part) => part.rssMb)),
  };
}
