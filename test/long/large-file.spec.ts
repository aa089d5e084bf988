import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { basicAuth, createTestDatabase, eventually, spawnApp, type StartedProcess } from '#testing';
import { SharingWorld } from '../api/sharing-world';
import { EdgeClient, PASSWORD } from '../edge/edge-client';
import { AMONG_FAKES, SHARES } from '../federation/outgoing-world';
import { PathProxy } from './path-proxy';

const MEGABYTE = 1024 * 1024;
const isFull = process.env.LONG_RUNS === 'full';
const SIZE = (isFull ? 4096 : 64) * MEGABYTE;
/** Of each program's memory, at its highest. */
const MOST_BYTES = 200 * MEGABYTE;
const APPS = ['share-api', 'files', 'federation-api', 'federation-worker'] as const;
const REMOTE_SHARES = '/apps/files_sharing/api/v1/remote_shares';

jest.setTimeout(15 * 60_000);

/** One organisation, each of its programs a process of its own, behind one address. */
class Instance {
  private readonly running = new Map<string, StartedProcess>();

  private constructor(
    private readonly proxy: PathProxy,
    private readonly directory: string,
    private readonly end: () => Promise<void>,
  ) {}

  static async start(uid: string): Promise<Instance> {
    const proxy = await PathProxy.open();
    const test = await createTestDatabase({ poolSize: 2 });
    const directory = mkdtempSync(join(tmpdir(), 'drawbridge-large-'));
    const ENCRYPTION_KEY = randomBytes(32).toString('hex');
    const maker = await SharingWorld.start({ databaseUrl: test.url, env: { ENCRYPTION_KEY } });
    await maker.addUser(uid);
    await maker.stop();
    const instance = new Instance(proxy, directory, () => test.drop());
    const env = {
      ...AMONG_FAKES,
      ...{ DATABASE_URL: test.url, DATABASE_POOL: '4', ENCRYPTION_KEY, DATA_DIR: directory },
      ...{ PUBLIC_URL: proxy.url, FEDERATION_SYNC_WAIT: '10s', PORT: '0', LOG_LEVEL: 'info' },
      // Node.js keeps some 10 MB of its compile cache in memory, which no image has.
      NODE_DISABLE_COMPILE_CACHE: '1',
    };
    await Promise.all(APPS.map((app) => instance.startApp(app, env)));
    return instance;
  }

  get url(): string {
    return this.proxy.url;
  }

  /** Data of an OCS call that succeeds. */
  async call(as: string, method: string, path: string, form?: Record<string, string>): Promise<unknown> {
    const { code, message, data } = await new EdgeClient(this).ocs(method, path, { as, form });
    if (code !== 100) throw new Error(`${method} ${path}: ${code} ${message}`);
    return data;
  }

  /** The most memory that each program has held, in bytes. */
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
    await this.end();
    rmSync(this.directory, { recursive: true, force: true });
  }

  private async startApp(app: (typeof APPS)[number], env: Record<string, string>): Promise<void> {
    // As an image starts it.
    const started = spawnApp({ command: ['bin/drawbridge-app', app], env });
    this.running.set(app, started);
    const port = await eventually(
      `the start of ${app}`,
      () => /"port":(\d+),"msg":"listening"/.exec(started.output())?.[1],
      60_000,
    );
    if (app !== 'federation-worker') this.proxy.add(app, Number(port));
  }
}

/** Bytes that no part of repeats another's, made as they are read. */
function* content(): Generator<Buffer> {
  const piece = randomBytes(MEGABYTE);
  for (let at = 0; at < SIZE / MEGABYTE; at++) {
    piece.writeUInt32BE(at);
    yield Buffer.from(piece);
  }
}

const DAV = '/remote.php/webdav/Films/film.bin';

async function put(url: string, uid: string): Promise<string> {
  const hash = createHash('sha1');
  const headers = { authorization: basicAuth(uid, PASSWORD), 'content-length': SIZE };
  const outgoing = request(url + DAV, { method: 'PUT', headers });
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

async function get(url: string, uid: string): Promise<string> {
  const hash = createHash('sha1');
  await new Promise<void>((done, failed) => {
    request(url + DAV, { headers: { authorization: basicAuth(uid, PASSWORD) } }, (answer) => {
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

  it('is written and read whole, in little memory', async () => {
    const written = await put(b.url, 'bob');
    expect(await get(b.url, 'bob')).toBe(written);
    expect(await get(a.url, 'alice')).toBe(written);
    const peaks = { a: a.peaks(), b: b.peaks() };
    process.stderr.write(
      `${SIZE / MEGABYTE} MB through the mount, peaks in MB: ${JSON.stringify(peaks, (_, value: unknown) => (typeof value === 'number' ? Math.round(value / MEGABYTE) : value))}\n`,
    );
    for (const peak of [...Object.values(peaks.a), ...Object.values(peaks.b)])
      expect(peak).toBeLessThan(MOST_BYTES);
  });
});
