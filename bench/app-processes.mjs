// Starts single apps as processes, as an image starts them, and reads their figures.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { freePort, repository } from '../scripts/gateway-process.mjs';
import { KEY, usage } from './delivery-processes.mjs';

const ASK_EVERY_MS = 10;

/** The largest memory (MB) that a process had. */
export const peakMb = (pid) =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;

const isReady = (port) =>
  new Promise((resolve) => {
    const asked = request({ port, host: '127.0.0.1', path: '/health/ready', agent: false }, (reply) => {
      reply.resume();
      resolve(reply.statusCode === 200);
    });
    asked.on('error', () => resolve(false));
    asked.end();
  });

/**
 * @param {string} app an app of this program, or `bare` for an empty app of the framework
 * @param {object} environment added to the usual variables
 * @returns {Promise<{url: string, port: number, pid: number, readyMs: number, cpuMs: number, stop: () => Promise<void>}>} `readyMs` from its
 *   start to its readiness, `cpuMs` the processor time of the start
 */
export async function startApp(app, environment) {
  const port = await freePort();
  const [program, argument] =
    app === 'bare'
      ? [process.execPath, join(repository, 'bench/bare-app.mjs')]
      : [join(repository, 'bin/drawbridge-app'), app];
  const startedAt = performance.now();
  const child = spawn(program, [argument], {
    cwd: repository,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      ENCRYPTION_KEY: KEY,
      PUBLIC_URL: 'https://bench.example.org',
      FEDERATION_ALLOW_HTTP: 'true',
      FEDERATION_ALLOW_ADDRESSES: '127.0.0.0/8',
      LOG_LEVEL: 'error',
      ...environment,
    },
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  while (!(await isReady(port))) {
    if (child.exitCode !== null) throw new Error(`${app} ended with ${child.exitCode}`);
    await new Promise((passed) => setTimeout(passed, ASK_EVERY_MS));
  }
  const readyMs = performance.now() - startedAt;
  const { cpuMs } = usage(child.pid);
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  return { url: `http://127.0.0.1:${port}`, port, pid: child.pid, readyMs, cpuMs, stop };
}
