import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from './free-port';
import { eventually } from '../waiting';

/** A Redis of the specs' own, on a free port of the loopback address, that keeps nothing. */
export interface TestRedis {
  readonly url: string;
  /** Everything in it, as text: for specs that look for what must not be there. */
  dump(): Promise<string>;
  /** Everything that was ever written to it, as its append-only files have it; only where it was started with `logged`. */
  log(): string;
  /** Puts a text where jobs are kept: `dump` would find a secret there. */
  plant(text: string): Promise<void>;
  /** Forgets everything, as after a restart without persistence. */
  empty(): Promise<void>;
  /** Ends it with kill -9 and starts an empty one on the same port. */
  killAndRestart(): Promise<void>;
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export interface TestRedisOptions {
  /** Whether it keeps a log of all that is written to it, which its restarts do not read. */
  readonly logged?: boolean;
}

/** @throws Error when the program `redis-server` is not installed: then the specs that need it have failed */
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
/** Written as text, and never written again: nothing that was there once is left out. */
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
