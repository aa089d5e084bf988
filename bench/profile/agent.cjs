// Runs inside the profiled process and takes orders of the bench from a socket. Loaded by NODE_OPTIONS=--require.
const { execFileSync } = require('node:child_process');
const { rmSync } = require('node:fs');
const { createServer } = require('node:net');
const { Session } = require('node:inspector');
const { PerformanceObserver } = require('node:perf_hooks');
const { createRequire } = require('node:module');
const { join } = require('node:path');

const SAMPLING_US = 500;
const HEAP_SAMPLING_BYTES = 16_384;

const session = new Session();
session.connect();
const post = (method, options) =>
  new Promise((done, failed) =>
    session.post(method, options, (error, result) => (error ? failed(error) : done(result))),
  );

let collectedMs = 0;
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) collectedMs += duration;
}).observe({ entryTypes: ['gc'] });

let roundTrips = 0;
let isCounting = false;

/**
 * Counts the queries of the driver after the first order. Each query waits for its answer before the next one of its
 * connection.
 */
function countRoundTrips() {
  if (isCounting) return;
  isCounting = true;
  const { Client } = createRequire(join(process.cwd(), 'package.json'))('pg');
  const { query } = Client.prototype;
  Client.prototype.query = function (...values) {
    roundTrips++;
    return query.apply(this, values);
  };
}

/**
 * The profiler samples elapsed time. Without this, a call that wakes another process, such as a write to the database, seems to take the time for
 * which that process has the processor. Needs root and Linux. @returns whether the thread of JavaScript now keeps its processor until it waits
 */
function keepProcessor(isKept) {
  const policy = isKept ? ['--fifo', '--pid', '1'] : ['--other', '--pid', '0'];
  try {
    execFileSync('chrt', [...policy, String(process.pid)], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const bytesBelow = ({ selfSize, children }) =>
  children.reduce((total, child) => total + bytesBelow(child), selfSize);

const figures = () => {
  const { user, system } = process.cpuUsage();
  return { cpuMs: (user + system) / 1000, collectedMs, roundTrips };
};

const since = (before) => {
  const now = figures();
  return Object.fromEntries(Object.entries(now).map(([name, value]) => [name, value - before[name]]));
};

let before;

const ORDERS = {
  async count() {
    countRoundTrips();
    before = figures();
    return {};
  },
  counted: async () => since(before),
  async processor() {
    const keepsProcessor = keepProcessor(true);
    await post('Profiler.enable');
    await post('Profiler.setSamplingInterval', { interval: SAMPLING_US });
    await post('Profiler.start');
    return { keepsProcessor };
  },
  async processed() {
    const result = await post('Profiler.stop');
    keepProcessor(false);
    return result;
  },
  async allocations() {
    await post('HeapProfiler.startSampling', {
      samplingInterval: HEAP_SAMPLING_BYTES,
      includeObjectsCollectedByMajorGC: true,
      includeObjectsCollectedByMinorGC: true,
    });
    return {};
  },
  async allocated() {
    const { profile } = await post('HeapProfiler.stopSampling');
    return { bytes: bytesBelow(profile.head) };
  },
};

function serve(socket) {
  socket.setEncoding('utf8');
  let received = '';
  socket.on('data', (text) => {
    received += text;
    if (!received.endsWith('\n')) return;
    const order = received.trim();
    received = '';
    ORDERS[order]().then(
      (result) => socket.end(JSON.stringify({ result })),
      (error) => socket.end(JSON.stringify({ error: String(error) })),
    );
  });
  socket.on('error', () => undefined);
}

// A child of the profiled process inherits the options, but its socket address is already in use.
createServer({ allowHalfOpen: true }, serve)
  .on('error', () => undefined)
  .listen(process.env.BENCH_AGENT, () =>
    process.once('exit', () => rmSync(process.env.BENCH_AGENT, { force: true })),
  )
  .unref();
