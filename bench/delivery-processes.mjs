// The processes for the measurement of deliveries, and their figures.
import { fork, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, repository } from '../scripts/gateway-process.mjs';

const here = dirname(fileURLToPath(import.meta.url));

/** Encryption key of the worker. */
export const KEY = '01'.repeat(32);

/** Starts a file of this directory as a child process with an IPC channel. */
export const forkHere = (file) => fork(join(here, file), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });

/** The child's answer to a message. */
export async function ask(child, message) {
  const { promise, resolve, reject } = Promise.withResolvers();
  const fail = (code) => reject(new Error(`a part of the bench ended with ${code}`));
  child.once('message', resolve).once('exit', fail);
  child.send(message);
  return promise.finally(() => child.off('exit', fail));
}

/** @returns undefined if it is not installed */
export async function startRedis() {
  const port = await freePort();
  const options = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
    '--loglevel',
    'warning',
  ];
  const child = spawn('redis-server', options, { stdio: 'ignore' });
  const installed = await new Promise((resolve) => {
    child.once('spawn', () => resolve(true));
    child.once('error', () => resolve(false));
  });
  return installed ? { url: `redis://127.0.0.1:${port}`, stop: () => child.kill('SIGTERM') } : undefined;
}

/** The worker as it is deployed, ready for work. */
export async function startWorker(environment) {
  const port = await freePort();
  const child = spawn(join(repository, 'bin/drawbridge-app'), ['federation-worker'], {
    cwd: repository,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      ...process.env,
      PORT: String(port),
      ENCRYPTION_KEY: KEY,
      PUBLIC_URL: 'https://bench.example.org',
      FEDERATION_ALLOW_HTTP: 'true',
      FEDERATION_ALLOW_ADDRESSES: '127.0.0.0/8',
      LOG_LEVEL: 'error',
      ...environment,
    },
  });
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the worker ended with ${child.exitCode}`);
    if (
      await fetch(`http://127.0.0.1:${port}/health/ready`).then(
        (reply) => reply.ok,
        () => false,
      )
    )
      break;
    await new Promise((passed) => setTimeout(passed, 50));
  }
  return child;
}

/** Processor time (milliseconds) and memory (MB) of a process until now. */
export const usage = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  const rss = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1];
  return { cpuMs: (Number(fields[11]) + Number(fields[12])) * 10, rssMb: Number(rss) / 1024 };
};
