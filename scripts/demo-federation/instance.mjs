// An instance of the demo as a separate process, which can be killed and started again with the same data.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { ADMIN, freePort, repository, temporaryDirectory } from '../gateway-process.mjs';

const LIMIT_MS = 60_000;

/** Waits until `condition` returns a truthy value. */
export async function eventually(what, condition, limitMs = LIMIT_MS) {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`${what} did not happen within ${limitMs} ms`);
    await new Promise((passed) => setTimeout(passed, 50));
  }
}

export class Instance {
  /** Address of the instance for partners and users; it can be the address of a listener in front of it. */
  publicUrl = '';
  #child;
  #output = [];

  constructor(name, port, dataDir) {
    this.name = name;
    this.port = port;
    this.dataDir = dataDir;
  }

  static async at(name) {
    return new Instance(name, await freePort(), temporaryDirectory(`demo-${name}`));
  }

  /** The address where the process itself listens. */
  get ownUrl() {
    return `http://127.0.0.1:${this.port}`;
  }

  async start() {
    const child = spawn('bin/drawbridge-app', ['standalone'], {
      cwd: repository,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        PORT: String(this.port),
        PUBLIC_URL: this.publicUrl,
        DATA_DIR: this.dataDir,
        ADMIN_USER: ADMIN.user,
        ADMIN_PASSWORD: ADMIN.password,
        COMPATIBILITY: 'owncloud10',
        FEDERATION_ALLOW_HTTP: 'true',
        FEDERATION_ALLOW_ADDRESSES: '127.0.0.0/8',
        LOG_LEVEL: 'warn',
      },
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => this.#output.push(String(text)));
    await eventually(`the start of ${this.name}`, async () => {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`${this.name} ended while starting:\n${this.#output.join('')}`);
      return fetch(`${this.ownUrl}/health/ready`).then(
        (reply) => reply.ok,
        () => false,
      );
    });
  }

  /** Kills the process; its database server continues until the next start takes it over. */
  async kill() {
    await this.#end('SIGKILL');
  }

  /** Stops it with its database, and removes its data. */
  async stop() {
    await this.#end('SIGTERM');
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  async #end(signal) {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((done) => child.once('exit', done));
    child.kill(signal);
    await ended;
  }

  /** Processes that still have the instance's directory on their command line. */
  leftovers() {
    return readdirSync('/proc')
      .filter((entry) => /^\d+$/.test(entry))
      .filter((pid) => {
        try {
          return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(this.dataDir);
        } catch {
          return false;
        }
      });
  }
}
