import { existsSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Output } from '../../apps/cli/src/command';
import { parseCommandLine } from '../../apps/cli/src/command-line';
import { Instance } from '../../apps/cli/src/instance';
import { readConfig } from '../../libs/platform/src';
import { createEmptyDatabase, eventually, startGateway, type TestGateway } from '../../libs/testing/src';
import { startTestRedis, type TestRedis } from '../../libs/testing/src/rigs/redis-server';

/** A proxy in front of a gateway: the spec decides how it handles a path. */
class Front {
  private constructor(private readonly server: Server) {}
  gateway: TestGateway | undefined;
  /** The path that it requests from the gateway; undefined answers a redirect. */
  rewrite: (path: string) => string | undefined = (path) => path;

  /** The client that it names in a header; undefined to name none. */
  hop: string | undefined;

  static async start(): Promise<Front> {
    const server = createServer();
    const front = new Front(server);
    server.on('request', (incoming, reply) => {
      const path = front.rewrite(incoming.url!);
      if (path === undefined) return void reply.writeHead(301, { location: '/elsewhere?token=geheim' }).end();
      const { hostname, port } = new URL(front.gateway!.url);
      const { method } = incoming;
      const hop = front.hop === undefined ? {} : { 'x-forwarded-for': front.hop };
      const headers = { ...incoming.headers, ...hop };
      const outgoing = request({ hostname, port, path, method, headers }, (answer) => {
        reply.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(reply);
      });
      incoming.pipe(outgoing);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return front;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

type Finding = { check: string; subject: string; state: string; seen: string; advice?: string };

async function doctor(env: Readonly<Record<string, string>>): Promise<Output & { kind: 'report' }> {
  const { command, input } = parseCommandLine(['doctor'])!;
  const instance = new Instance(readConfig(env), command.anySchema ?? false);
  try {
    const output = await command.run(input, instance);
    if (output.kind !== 'report') throw new Error(output.kind);
    return output;
  } finally {
    await instance.close();
  }
}

const findingsOf = (output: Output & { kind: 'report' }): Finding[] => output.record.findings as Finding[];
const badIn = (output: Output & { kind: 'report' }): string[] =>
  findingsOf(output)
    .filter(({ state }) => state !== 'ok')
    .map(({ check, subject, state }) => `${state} ${check}: ${subject}`)
    .sort();

let front: Front;
let gateway: TestGateway;
let env: Readonly<Record<string, string>>;
/** Warnings of a trial instance, such as this one. */
const OF_A_TRIAL = ['warning configuration: PUBLIC_URL', 'warning public address: as a partner'];

beforeAll(async () => {
  front = await Front.start();
  gateway = await startGateway({ env: { PUBLIC_URL: front.url } });
  front.gateway = gateway;
  env = { DATABASE_URL: gateway.databaseUrl, DATA_DIR: gateway.dataDirectory, PUBLIC_URL: front.url };
});
afterAll(async () => {
  front.close();
  await gateway?.stop();
});
beforeEach(() => {
  front.rewrite = (path) => path;
  front.hop = undefined;
});

/** Findings that depend on this machine: the owner and rights of the directory of contents, and its disk. */
const ofThisMachine = (bad: readonly string[]): string[] =>
  bad.filter(
    (one) =>
      !one.endsWith('storage: access') && !one.endsWith('storage: room') && !one.includes('connections'),
  );

it('finds no failure in a running instance', async () => {
  const output = await eventually('workers that are known', async () => {
    const report = await doctor(env);
    return report.exitCode < 2 ? report : undefined;
  });
  expect(ofThisMachine(badIn(output))).toEqual(OF_A_TRIAL);
  expect(output.exitCode).toBe(1);
  const checks = new Set(findingsOf(output).map(({ check }) => check));
  expect([...checks].sort()).toEqual(
    [
      'clock',
      'configuration',
      'database',
      'directory',
      'issuer',
      'keys',
      'outbox',
      'public address',
      'queue',
      'scanner',
      'storage',
      'uploads',
    ].sort(),
  );
});

it.each<[string, (path: string) => string | undefined, string[]]>([
  [
    'loses the slash at the end',
    (path) => (path.endsWith('/') ? undefined : path),
    ['/dav', '/ocm-provider/', '/ocs-provider/', '/public.php/webdav/', '/remote.php/webdav/'],
  ],
  [
    'knows nothing of /.well-known',
    (path) => path.replace('/.well-known', '/nothing'),
    ['/.well-known/jwks.json', '/.well-known/ocm'],
  ],
  ['takes /remote.php away', (path) => path.replace('/remote.php', ''), ['/remote.php/webdav/']],
])('warns of a proxy that %s', async (_what, rewrite, subjects) => {
  front.rewrite = rewrite;
  const output = await doctor(env);
  const wrong = findingsOf(output).filter(
    ({ check, state }) => check === 'public address' && state === 'failed',
  );
  expect(wrong.map(({ subject }) => subject).sort()).toEqual(subjects.filter((one) => one !== '/dav'));
  expect(output.exitCode).toBe(2);
  expect(JSON.stringify(output)).not.toContain('geheim');
});

it('warns if all clients count as their proxy', async () => {
  front.hop = '203.0.113.7';
  const output = await doctor(env);
  expect(findingsOf(output)).toContainEqual(
    expect.objectContaining({
      check: 'public address',
      subject: 'client addresses',
      state: 'warning',
      advice: expect.stringContaining('Name 127.0.0.1 in TRUSTED_PROXIES'),
    }),
  );
});

it('continues if a service is unreachable, and names it', async () => {
  const output = await doctor({
    ...env,
    PUBLIC_URL: 'http://127.0.0.1:1',
    REDIS_URL: 'redis://:geheim@127.0.0.1:1',
  });
  expect(badIn(output)).toEqual(
    expect.arrayContaining(['failed public address: reach', 'failed queue: Redis']),
  );
  expect(findingsOf(output)).toContainEqual(expect.objectContaining({ check: 'keys', state: 'ok' }));
  expect(JSON.stringify(output)).not.toContain('geheim');
});

it('reports a missing schema, and then reads no tables', async () => {
  const empty = await createEmptyDatabase();
  const output = await doctor({ ...env, DATABASE_URL: empty.url });
  expect(badIn(output)).toContain('failed database: schema');
  expect(findingsOf(output).filter(({ check }) => check === 'keys' || check === 'outbox')).toEqual([]);
  await empty.drop();
});

it('reports a store of contents that does not exist, and makes none', async () => {
  const missing = join(gateway.dataDirectory, 'no-store');
  const output = await doctor({ ...env, BLOB_STORE: `file:${missing}` });
  expect(findingsOf(output)).toContainEqual({
    check: 'storage',
    subject: 'probe',
    state: 'failed',
    seen: `${missing} does not exist`,
    advice: 'Start the gateway once, or correct DATA_DIR or BLOB_STORE.',
  });
  expect(existsSync(missing)).toBe(false);
});

it('reports another encryption key', async () => {
  const output = await doctor({ ...env, ENCRYPTION_KEY: '0123456789abcdef'.repeat(4) });
  expect(findingsOf(output)).toContainEqual(
    expect.objectContaining({
      check: 'keys',
      state: 'failed',
      seen: expect.stringContaining('encryption key'),
    }),
  );
});

describe('with Redis', () => {
  let redis: TestRedis;
  let other: TestGateway;
  beforeAll(async () => {
    redis = await startTestRedis();
    other = await startGateway({ env: { REDIS_URL: redis.url } });
  });
  afterAll(async () => {
    await other?.stop();
    await redis.stop();
  });

  it('counts workers, and reports wrong settings', async () => {
    const where = { DATABASE_URL: other.databaseUrl, DATA_DIR: other.dataDirectory, PUBLIC_URL: other.url };
    const output = await doctor({ ...where, REDIS_URL: redis.url });
    const states = findingsOf(output).filter(({ check }) => check === 'queue');
    expect(states.map(({ subject, state }) => [subject, state])).toEqual([
      ['Redis', 'ok'],
      ['eviction', 'ok'],
      ['append-only file', 'warning'],
      ['workers', 'ok'],
    ]);
    const elsewhere = await doctor({ ...where, REDIS_URL: redis.url, QUEUE_PREFIX: 'another' });
    expect(badIn(elsewhere)).toContain('failed queue: workers');
  });
});
