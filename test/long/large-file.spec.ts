import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  basicAuth,
  createTestDatabase,
  eventually,
  spawnApp,
  type StartedProcess,
  type TestDatabase,
} from '#testing';
import { SharingWorld } from '../api/sharing-world';
import { EdgeClient, PASSWORD } from '../edge/edge-client';
import { AMONG_FAKES, SHARES } from '../federation/outgoing-world';
import { PathProxy } from './path-proxy';

const MEGABYTE = 1024 * 1024;
const isFull = process.env.LONG_RUNS === 'full';
const SIZE = (isFull ? 4096 : 64) * MEGABYTE;
/** Limit for the memory of the program that serves files, at its peak. */
const MOST_BYTES = 200 * MEGABYTE;
const APPS = ['share-api', 'files', 'federation-api', 'federation-worker'] as const;
const REMOTE_SHARES = '/apps/files_sharing/api/v1/remote_shares';

const DELIVERY_MS = 10 * 60_000;
/** The program that delivers. */
const KILLS = isFull ? 6 : 1;

jest.setTimeout(30 * 60_000);

/** One organisation, each of its programs as a separate process, behind one address. */
class Instance {
  private readonly running = new Map<string, StartedProcess>();
  private readonly ports = new Map<string, string>();
  private env: Readonly<Record<string, string>> = {};

  private constructor(
    private readonly proxy: PathProxy,
    private readonly directory: string,
    private readonly test: TestDatabase,
  ) {}

  static async start(uid: string): Promise<Instance> {
    const proxy = await PathProxy.open();
    const test = await createTestDatabase({ poolSize: 2 });
    const directory = mkdtempSync(join(tmpdir(), 'drawbridge-large-'));
    const ENCRYPTION_KEY = randomBytes(32).toString('hex');
    const maker = await SharingWorld.start({ databaseUrl: test.url, env: { ENCRYPTION_KEY } });
    await maker.addUser(uid);
    await maker.stop();
    const instance = new Instance(proxy, directory, test);
    instance.env = {
      ...AMONG_FAKES,
      ...{ DATABASE_URL: test.url, DATABASE_POOL: '4', ENCRYPTION_KEY, DATA_DIR: directory },
      ...{ PUBLIC_URL: proxy.url, FEDERATION_SYNC_WAIT: '10s', PORT: '0', LOG_LEVEL: 'info' },
      // Node.js keeps about 10 MB of its compile cache in memory, which an image does not have.
      NODE_DISABLE_COMPILE_CACHE: '1',
    };
    await Promise.all(APPS.map((app) => instance.startApp(app)));
    return instance;
  }

  get url(): string {
    return this.proxy.url;
  }

  /** Data of a successful OCS call. */
  async call(as: string, method: string, path: string, form?: Record<string, string>): Promise<unknown> {
    const { code, message, data } = await new EdgeClient(this).ocs(method, path, { as, form });
    if (code !== 100) throw new Error(`${method} ${path}: ${code} ${message}`);
    return data;
  }

  /** The peak memory of each program, in bytes. */
  peaks(): Record<string, number> {
    return Object.fromEntries(
      [...this.running].map(([app, { child }]) => {
        const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))![1];
        return [app, Number(peak) * 1024];
      }),
    );
  }

  async stop(): Promise<void> {
    await Promise.all(
      [...this.running.values()].map(async ({ child, exit }) => {
        child.kill('SIGTERM');
        await exit;
      }),
    );
    await this.proxy.close();
    await this.test.drop();
    rmSync(this.directory, { recursive: true, force: true });
  }

  query<T>(sql: string): Promise<T[]> {
    return this.test.database.dataSource.query<T[]>(sql);
  }

  /** Ends it with kill -9 and frees its deliveries; normally their leases would end a minute later. */
  async kill(app: (typeof APPS)[number]): Promise<void> {
    const { child, exit } = this.running.get(app)!;
    child.kill('SIGKILL');
    await exit;
    await this.query('UPDATE stored_write SET held_until = NULL');
  }

  /** Starts it as an image does; a restart uses the same port. */
  async startApp(app: (typeof APPS)[number]): Promise<void> {
    const env = { ...this.env, PORT: this.ports.get(app) ?? '0' };
    const started = spawnApp({ command: ['bin/drawbridge-app', app], env });
    this.running.set(app, started);
    const port = await eventually(
      `the start of ${app}`,
      () => /"port":(\d+),"msg":"listening"/.exec(started.output())?.[1],
      60_000,
    );
    if (app !== 'federation-worker' && !this.ports.has(app)) this.proxy.add(app, Number(port));
    this.ports.set(app, port);
  }
}

/** Bytes without repetition, generated while they are read. */
function* content(): Generator<Buffer> {
  const piece = randomBytes(MEGABYTE);
  for (let at = 0; at < SIZE / MEGABYTE; at++) {
    piece.writeUInt32BE(at);
    yield Buffer.from(piece);
  }
}

const DAV = '/remote.php/webdav/Films';

async function put(url: string, uid: string, name: string): Promise<string> {
  const hash = createHash('sha1');
  const headers = { authorization: basicAuth(uid, PASSWORD), 'content-length': SIZE };
  const outgoing = request(`${url}${DAV}/${name}`, { method: 'PUT', headers });
  const answered = new Promise<number>((done, failed) => {
    outgoing.on('response', (answer) => done(answer.resume().statusCode!)).on('error', failed);
  });
  const hashed = function* (): Generator<Buffer> {
    for (const piece of content()) {
      hash.update(piece);
      yield piece;
    }
  };
  await pipeline(Readable.from(hashed()), outgoing);
  expect(await answered).toBe(201);
  return hash.digest('hex');
}

async function get(url: string, uid: string, name: string): Promise<string> {
  const hash = createHash('sha1');
  await new Promise<void>((done, failed) => {
    request(`${url}${DAV}/${name}`, { headers: { authorization: basicAuth(uid, PASSWORD) } }, (answer) => {
      answer.on('data', (piece: Buffer) => hash.update(piece));
      answer.on('end', () => (answer.complete ? done() : failed(new Error('cut short'))));
      answer.on('error', failed);
    })
      .on('error', failed)
      .end();
  });
  return hash.digest('hex');
}

describe(`a file of ${SIZE / MEGABYTE} MB in a folder of another instance`, () => {
  let a: Instance;
  let b: Instance;

  beforeAll(async () => {
    [a, b] = await Promise.all([Instance.start('alice'), Instance.start('bob')]);
    const headers = { authorization: basicAuth('alice', PASSWORD) };
    const made = await fetch(`${a.url}/remote.php/webdav/Films`, { method: 'MKCOL', headers });
    expect([made.status, await made.text()]).toEqual([201, '']);
    const shareWith = `bob@${new URL(b.url).host}`;
    await a.call('alice', 'POST', SHARES, { path: '/Films', shareType: '6', shareWith });
    const [pending] = (await b.call('bob', 'GET', `${REMOTE_SHARES}/pending`)) as { id: number }[];
    await b.call('bob', 'POST', `${REMOTE_SHARES}/pending/${pending!.id}`);
  });
  afterAll(async () => {
    await Promise.all([a.stop(), b.stop()]);
  });

  it('is written and read completely, in little memory', async () => {
    const written = await put(b.url, 'bob', 'film.bin');
    expect(await get(b.url, 'bob', 'film.bin')).toBe(written);
    const etag = await etagAt(b, 'bob', 'film.bin');
    await eventually('the delivery', () => isDelivered(b), DELIVERY_MS);
    expect(await get(a.url, 'alice', 'film.bin')).toBe(written);
    expect(await get(b.url, 'bob', 'film.bin')).toBe(written);
    expect(await etagAt(b, 'bob', 'film.bin')).toBe(etag);
    const peaks = { a: a.peaks(), b: b.peaks() };
    process.stderr.write(
      `${SIZE / MEGABYTE} MB through the mount, peaks in MB: ${JSON.stringify(peaks, (_, value: unknown) => (typeof value === 'number' ? Math.round(value / MEGABYTE) : value))}\n`,
    );
    // No other program handles the bytes.
    for (const { files } of [peaks.a, peaks.b]) expect(files).toBeLessThan(MOST_BYTES);
  });

  it('is neither lost nor doubled if its owner is away and its delivery is killed', async () => {
    await a.kill('files');
    const written = await put(b.url, 'bob', 'late.bin');
    expect(await get(b.url, 'bob', 'late.bin')).toBe(written);
    const etag = await etagAt(b, 'bob', 'late.bin');
    expect(await b.call('bob', 'GET', '/apps/drawbridge/api/v1/stored-writes')).toMatchObject([
      { path: '/Films/late.bin', size: SIZE, share: 'Films', partner: new URL(a.url).host },
    ]);
    await a.startApp('files');
    for (let kills = 0; kills < KILLS; kills++) {
      await eventually('a delivery is under way', () => isUnderWay(b), DELIVERY_MS);
      await b.kill('files');
      await b.startApp('files');
    }
    await eventually('the delivery', () => isDelivered(b), DELIVERY_MS);
    expect(await get(a.url, 'alice', 'late.bin')).toBe(written);
    expect(await etagAt(b, 'bob', 'late.bin')).toBe(etag);
    expect(await b.query(`SELECT path FROM node WHERE received_share_id IS NULL AND kind = 'file'`)).toEqual(
      [],
    );
    expect(await b.query(`SELECT subject FROM notification WHERE object_type = 'stored_write'`)).toEqual([]);
  });
});

/** Ends the pauses between attempts. */
async function makeDue(instance: Instance): Promise<void> {
  await instance.query('UPDATE stored_write SET due_at = now() WHERE due_at > now() AND held_until IS NULL');
}

async function isDelivered(instance: Instance): Promise<boolean> {
  await makeDue(instance);
  const [row] = await instance.query<{ left: number }>('SELECT count(*)::int AS left FROM stored_write');
  return row!.left === 0;
}

/** Also true after the delivery, because small files and fast machines finish early. */
async function isUnderWay(instance: Instance): Promise<boolean> {
  await makeDue(instance);
  const [row] = await instance.query<{ waiting: number; held: number }>(
    'SELECT count(*)::int AS waiting, count(*) FILTER (WHERE held_until > now())::int AS held FROM stored_write',
  );
  return row!.waiting === 0 || row!.held > 0;
}

async function etagAt({ url }: Instance, uid: string, name: string): Promise<string | null> {
  const headers = { authorization: basicAuth(uid, PASSWORD) };
  const reply = await fetch(`${url}${DAV}/${name}`, { method: 'HEAD', headers });
  expect(reply.status).toBe(200);
  return reply.headers.get('etag');
}
