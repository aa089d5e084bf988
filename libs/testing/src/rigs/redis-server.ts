import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from './free-port';
import { eventually } from '../waiting';

/** A Redis for specs, on a free port of the loopback address, without persistence. */
export interface TestRedis {
  readonly url: string;
  /** All its data as text, for specs that look for forbidden content. */
  dump(): Promise<string>;
  /** Everything that was ever written to it, from its append-only files; only if it was started with `logged`. */
  log(): string;
  /** Writes a text to the place of jobs, to prove that `dump` would find a secret there. */
  plant(text: string): Promise<void>;
  /** Removes all data, as after a restart without persistence. */
  empty(): Promise<void>;
  /** Ends it with kill -9, and starts an empty one on the same port. */
  killAndRestart(): Promise<void>;
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export interface TestRedisOptions {
  /** Whether it logs all writes; a restart does not read the log. */
  readonly logged?: boolean;
}

/** @throws Error if the program `redis-server` is not installed: specs that need it then fail */
export async function startTestRedis({ logged = false }: TestRedisOptions = {}): Promise<TestRedis> {
  const port = await freePort();
  const directory = mkdtempSync(join(tmpdir(), 'drawbridge-redis-'));
  const url = `redis://127.0.0.1:${port}`;
  const earlier: string[] = [];
  let server = await start(port, directory, logged);
  const once = async <T>(work: (client: Redis) => Promise<T>): Promise<T> => {
    const client = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 1 });
    client.on('error', () => undefined);
    try {
      return await work(client);
    } finally {
      client.disconnect();
    }
  };
  const restart = async (): Promise<void> => {
    await server.end('SIGKILL');
    if (logged) earlier.push(readLog(directory));
    rmSync(join(directory, LOG_DIRECTORY), { recursive: true, force: true });
    server = await start(port, directory, logged);
  };
  return {
    url,
    dump: () => once(dumpAll),
    log: () => [...earlier, readLog(directory)].join('\n'),
    plant: async (text) => void (await once((client) => client.hset('planted', 'data', text))),
    empty: async () => void (await once((client) => client.flushall())),
    killAndRestart: restart,
    kill: () => server.end('SIGKILL'),
    stop: async () => {
      await server.end('SIGTERM');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const LOG_DIRECTORY = 'appendonlydir';
/** Written as text and never rewritten, so it contains everything. */
const LOGGED = ['--appendonly', 'yes', '--aof-use-rdb-preamble', 'no', '--auto-aof-rewrite-percentage', '0'];

function readLog(directory: string): string {
  const folder = join(directory, LOG_DIRECTORY);
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'latin1'))
    .join('\n');
}

async function start(port: number, directory: string, logged: boolean) {
  const options = [
    ...(logged ? LOGGED : []),
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--dir',
    directory,
    '--save',
    '',
    '--loglevel',
    'warning',
  ];
  const child = spawn('redis-server', [...options, '--maxmemory-policy', 'noeviction'], { stdio: 'ignore' });
  let failure: Error | undefined;
  child.once('error', (error) => (failure = error));
  const exit = new Promise<void>((ended) => child.once('close', () => ended()));
  await eventually('the start of redis-server', async () => {
    if (failure) throw new Error(`redis-server is needed (${failure.message}): install it`);
    const probe = new Redis(port, '127.0.0.1', {
      lazyConnect: true,
      retryStrategy: () => null,
      maxRetriesPerRequest: 0,
    });
    probe.on('error', () => undefined);
    const answer = await probe.ping().catch(() => undefined);
    probe.disconnect();
    return answer === 'PONG';
  });
  return {
    end: (signal: NodeJS.Signals): Promise<void> => {
      child.kill(signal);
      return exit;
    },
  };
}

async function dumpAll(client: Redis): Promise<string> {
  const parts: string[] = [];
  for (const key of await client.keys('*')) {
    const value = await client.dump(key);
    const readable = await readKey(client, key);
    parts.push(key, value ?? '', JSON.stringify(readable));
  }
  return parts.join('\n');
}

async function readKey(client: Redis, key: string): Promise<unknown> {
  switch (await client.type(key)) {
    case 'hash':
      return client.hgetall(key);
    case 'list':
      return client.lrange(key, 0, -1);
    case 'set':
      return client.smembers(key);
    case 'zset':
      return client.zrange(key, 0, -1);
    case 'stream':
      return client.xrange(key, '-', '+');
    default:
      return client.get(key);
  }
}
