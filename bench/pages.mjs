#!/usr/bin/env node
// Measures pages of links on a separate gateway: server time with 100 entries at 16 connections, largest paint and size in
// Chromium, and an archive against a plain GET of the same bytes, with the memory of the process.
//   node bench/pages.mjs [--seconds N] [--megabytes N]
import autocannon from 'autocannon';
import { existsSync, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { ADMIN, startGateway } from '../scripts/gateway-process.mjs';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '10' }, megabytes: { type: 'string', default: '500' } },
});
const CONNECTIONS = 16;
const ENTRIES = 100;
const AIMS = { serverMs: 100, paintMs: 1_000, compressedBytes: 250_000, archive: 0.9 };
const MEGABYTE = 1_000_000;
const headers = {
  authorization: `Basic ${Buffer.from(`${ADMIN.user}:${ADMIN.password}`).toString('base64')}`,
};

/** This function runs in the browser. */
const LARGEST_PAINT = `new Promise((resolve) => new PerformanceObserver((list) =>
  resolve(list.getEntries().at(-1).startTime)).observe({ type: 'largest-contentful-paint', buffered: true }))`;

async function call(url, method, path, body) {
  const stream = body instanceof Readable;
  const reply = await fetch(url + path, {
    method,
    headers,
    ...(body !== undefined && { body }),
    ...(stream && { duplex: 'half' }),
  });
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status}`);
  return reply;
}

function* bytes(megabytes) {
  const piece = Buffer.alloc(MEGABYTE, 'drawbridge ');
  for (let sent = 0; sent < megabytes; sent += 1) yield piece;
}

async function furnish(url, megabytes) {
  const files = `/remote.php/dav/files/${ADMIN.user}`;
  await call(url, 'MKCOL', `${files}/shown`);
  for (let at = 0; at < ENTRIES; at += 1)
    await call(url, 'PUT', `${files}/shown/entry-${at}.txt`, `entry ${at}`);
  await call(url, 'MKCOL', `${files}/large`);
  await call(url, 'PUT', `${files}/large/one.bin`, Readable.from(bytes(megabytes)));
  const shares = '/ocs/v2.php/apps/files_sharing/api/v1/shares?format=json';
  const form = new URLSearchParams({ path: '/shown', shareType: '3' });
  const { ocs } = await (await call(url, 'POST', shares, form)).json();
  return { page: `/s/${ocs.data.token}`, folder: `${files}/large` };
}

async function serverTime(url, page) {
  const { latency, requests, non2xx } = await autocannon({
    url: url + page,
    connections: CONNECTIONS,
    duration: Number(values.seconds),
    headers: { 'accept-encoding': 'gzip' },
  });
  if (non2xx > 0) throw new Error(`${non2xx} answers were no pages`);
  return { medianMs: latency.p50, p99Ms: latency.p99, perSecond: requests.average };
}

/** Largest paint and transferred bytes of the page in a browser without a cache. */
async function inBrowser(url, page) {
  const program = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
    (path) => path && existsSync(path),
  );
  if (!program) return undefined;
  const browser = await chromium.launch({
    executablePath: program,
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  try {
    const tab = await browser.newPage();
    let compressedBytes = 0;
    tab.on('requestfinished', async (request) => {
      const { responseBodySize } = await request.sizes();
      compressedBytes += responseBodySize;
    });
    await tab.goto(url + page);
    await tab.waitForLoadState('networkidle');
    const paintMs = await tab.evaluate(LARGEST_PAINT);
    return { paintMs: Math.round(paintMs), compressedBytes };
  } finally {
    await browser.close();
  }
}

const residentMegabytes = (pid) =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1000);

async function download(url, path, pid) {
  const begun = performance.now();
  let [read, most] = [0, 0];
  for await (const piece of (await call(url, 'GET', path)).body) {
    read += piece.length;
    most = Math.max(most, residentMegabytes(pid));
  }
  return { perSecond: read / MEGABYTE / ((performance.now() - begun) / 1000), most };
}

const gateway = await startGateway();
try {
  const { url, pid } = gateway;
  const { page, folder } = await furnish(url, Number(values.megabytes));
  const server = await serverTime(url, page);
  console.log(`link page, ${ENTRIES} entries, ${CONNECTIONS} connections`, server, `aim ${AIMS.serverMs} ms`);
  console.log(
    'in Chromium',
    await inBrowser(url, page),
    `aims ${AIMS.paintMs} ms, ${AIMS.compressedBytes} bytes`,
  );
  const before = residentMegabytes(pid);
  const plain = await download(url, `${folder}/one.bin`, pid);
  const archive = await download(url, `${folder}?accept=zip`, pid);
  const part = archive.perSecond / plain.perSecond;
  console.log(
    `archive at ${part.toFixed(2)} of a plain GET`,
    { plain, archive, before },
    `aim ${AIMS.archive}`,
  );
} finally {
  await gateway.stop();
}
