// A gateway as a separate process, for scripts that use it from outside.
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repository = resolve(dirname(fileURLToPath(import.meta.url)), '..');

/** The administrator of every gateway that is started here. */
export const ADMIN = { user: 'admin', password: 'admin-of-this-run' };

const START_LIMIT_MS = 180_000;
const STOP_LIMIT_MS = 120_000;

/** A TCP port of the loopback address that was free a moment ago. */
export function freePort() {
  return new Promise((found, failed) => {
    const probe = createServer();
    probe.once('error', failed);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => found(port));
    });
  });
}

/** A temporary directory that the database's user can pass through. */
export function temporaryDirectory(name) {
  const directory = mkdtempSync(join(tmpdir(), `drawbridge-${name}-`));
  chmodSync(directory, 0o755);
  return directory;
}

async function untilReady(url, child, output) {
  const deadline = Date.now() + START_LIMIT_MS;
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`the gateway ended while starting:\n${output.join('')}`);
    }
    const ready = await fetch(`${url}/health/ready`).then(
      (reply) => reply.ok,
      () => false,
    );
    if (ready) return;
    if (Date.now() > deadline) throw new Error(`the gateway was not ready in time:\n${output.join('')}`);
    await new Promise((passed) => setTimeout(passed, 50));
  }
}

function ended(child) {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((done) => child.once('exit', () => done()));
}

async function stop(child, dataDir) {
  const overdue = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
  child.kill('SIGTERM');
  await ended(child);
  clearTimeout(overdue);
  rmSync(dataDir, { recursive: true, force: true });
  if (child.exitCode !== 0) throw new Error(`the gateway ended with ${child.exitCode ?? child.signalCode}`);
}

/**
 * Starts the built gateway on a free port with an empty DATA_DIR and waits until it serves.
 *
 * @param {Record<string, string>} environment configuration in addition to PORT, DATA_DIR and the administrator
 * @param {string} root of the clone with its build
 * @returns {Promise<{url: string, pid: number, dataDir: string, output: () => string, stop: () => Promise<void>}>}
 *   `stop` ends it by a signal, removes the DATA_DIR, and throws if the exit code is not 0
 */
export async function startGateway(environment = {}, root = repository) {
  const port = await freePort();
  const dataDir = temporaryDirectory('data');
  const output = [];
  const child = spawn(join(root, 'bin/drawbridge-app'), ['standalone'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      PORT: String(port),
      DATA_DIR: dataDir,
      ADMIN_USER: ADMIN.user,
      ADMIN_PASSWORD: ADMIN.password,
      LOG_LEVEL: 'warn',
      ...environment,
    },
  });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => output.push(String(text)));
  const url = `http://127.0.0.1:${port}`;
  try {
    await untilReady(url, child, output);
  } catch (error) {
    // A signal instead of a kill, so that its database ends too.
    await stop(child, dataDir).catch(() => undefined);
    throw error;
  }
  return { url, pid: child.pid, dataDir, output: () => output.join(''), stop: () => stop(child, dataDir) };
}
