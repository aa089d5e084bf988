import { chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ADMIN,
  basicAuth,
  eventually,
  freePort,
  REPOSITORY,
  spawnApp,
  spawnGateway,
  type SpawnedGateway,
} from '#testing';
import { itInFullForm } from '../../libs/testing/src/full-form';

// Long enough to start processes on a busy machine.
const ALICE = { uid: 'alice', password: 'a-password-of-alice' };
const CONTENT = 'the bytes that must outlive every crash\n';
const adminAuth = basicAuth(ADMIN.uid, ADMIN.password);
const isRoot = process.getuid?.() === 0;

let dataDirectory: string;

const environment = () => ({
  DATA_DIR: dataDirectory,
  ADMIN_USER: ADMIN.uid,
  ADMIN_PASSWORD: ADMIN.password,
});
const start = (command?: string[]): Promise<SpawnedGateway> => spawnGateway({ env: environment(), command });

/** The `data` of an OCS answer. */
async function ocsData(reply: Promise<Response>): Promise<Record<string, unknown>> {
  const envelope = (await (await reply).json()) as { ocs: { data: unknown } };
  return (Array.isArray(envelope.ocs.data) ? envelope.ocs.data[0] : envelope.ocs.data) as Record<
    string,
    unknown
  >;
}

function form(fields: Record<string, string>): RequestInit {
  return {
    method: 'POST',
    headers: { authorization: adminAuth, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  };
}

const postmasterPid = (): number =>
  Number(readFileSync(join(dataDirectory, 'postgres/postmaster.pid'), 'utf8').split('\n')[0]);

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Resolves when connections to `url` are refused. */
function untilClosed(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return eventually(
    'the end of listening',
    () =>
      new Promise<boolean>((answer) => {
        const socket = createConnection({ host: hostname, port: Number(port) });
        socket.once('connect', () => answer(socket.destroy() === undefined));
        socket.once('error', () => answer(true));
      }),
  );
}

/** A PUT whose body is sent in two halves; `finish` sends the second one. */
function slowUpload(
  gateway: SpawnedGateway,
  name: string,
): { begun: Promise<void>; finish(): Promise<number> } {
  const upload = request(`${gateway.url}/remote.php/webdav/${name}`, {
    method: 'PUT',
    headers: { authorization: adminAuth, 'content-length': CONTENT.length, expect: '100-continue' },
  });
  const status = new Promise<number>((answered, failed) => {
    upload.once('response', (reply) => answered(reply.resume().statusCode ?? 0));
    upload.once('error', failed);
  });
  const begun = new Promise<void>((begin) => {
    upload.once('continue', () => upload.write(CONTENT.slice(0, 10), () => begin()));
  });
  upload.flushHeaders();
  return {
    begun,
    finish: () => {
      upload.end(CONTENT.slice(10));
      return status;
    },
  };
}

describe('a gateway with its own database', () => {
  let shareId: string;
  let home: string | undefined;

  beforeAll(() => {
    dataDirectory = mkdtempSync(join(tmpdir(), 'drawbridge-lifecycle-'));
  });
  afterAll(() => {
    for (const directory of [dataDirectory, home ?? dataDirectory])
      rmSync(directory, { recursive: true, force: true });
  });

  async function expectEverythingThere(gateway: Pick<SpawnedGateway, 'url'>): Promise<void> {
    const asAlice = { headers: { authorization: basicAuth(ALICE.uid, ALICE.password) } };
    const file = await fetch(`${gateway.url}/remote.php/webdav/kept.txt`, asAlice);
    expect(await file.text()).toBe(CONTENT);
    const shares = `${gateway.url}/ocs/v2.php/apps/files_sharing/api/v1/shares`;
    expect(await ocsData(fetch(`${shares}/${shareId}?format=json`, asAlice))).toMatchObject({
      id: shareId,
      share_with: ALICE.uid,
    });
  }

  it('starts on an empty directory, and accepts a user, a file and a share', async () => {
    const gateway = await start();
    const users = await fetch(
      `${gateway.url}/ocs/v2.php/cloud/users`,
      form({ userid: ALICE.uid, password: ALICE.password }),
    );
    expect(users.status).toBe(200);
    const upload = await fetch(`${gateway.url}/remote.php/webdav/kept.txt`, {
      method: 'PUT',
      headers: { authorization: adminAuth },
      body: CONTENT,
    });
    expect(upload.status).toBe(201);
    const share = await ocsData(
      fetch(
        `${gateway.url}/ocs/v2.php/apps/files_sharing/api/v1/shares?format=json`,
        form({ path: '/kept.txt', shareType: '0', shareWith: ALICE.uid }),
      ),
    );
    shareId = share.id as string;
    await expectEverythingThere(gateway);
    // The whole process group is killed; the database is in another session and survives.
    process.kill(-gateway.child.pid!, 'SIGKILL');
    await gateway.exit;
    expect(isAlive(postmasterPid())).toBe(true);
  });

  it('continues with the database of a killed gateway, with all data', async () => {
    const orphan = postmasterPid();
    const gateway = await start();
    expect(postmasterPid()).toBe(orphan);
    await expectEverythingThere(gateway);
    process.kill(gateway.pid, 'SIGKILL');
    process.kill(orphan, 'SIGKILL');
    await gateway.exit;
    await eventually('the end of the database', () => !isAlive(orphan));
  });

  it('recovers after the database was killed too, refuses a second start beside it, and ends on SIGTERM', async () => {
    const gateway = await start();
    await expectEverythingThere(gateway);
    const second = spawnApp({ env: { PORT: '0', ...environment() } });
    const listing = spawnApp({ command: ['bin/drawbridge', 'user', 'list', '--json'], env: environment() });
    expect(await second.exit).toEqual({ code: 1, signal: null });
    expect(second.output()).toMatch(
      /is in use by process \d+: stop that gateway, or give this one a DATA_DIR/,
    );
    expect(await listing.exit).toEqual({ code: 0, signal: null });
    expect(listing.output()).toBe(`${JSON.stringify([{ uid: ADMIN.uid }, { uid: ALICE.uid }])}\n`);
    await expectEverythingThere(gateway);
    expect(await gateway.stop('SIGTERM')).toEqual({ code: 0, signal: null });
  });

  it('lets a running request finish on SIGTERM, and leaves no process', async () => {
    const gateway = await start();
    const database = postmasterPid();
    const upload = slowUpload(gateway, 'slow.txt');
    await upload.begun;
    const stopped = gateway.stop('SIGTERM');
    await untilClosed(gateway.url);
    expect(isAlive(database)).toBe(true);
    expect(await upload.finish()).toBe(201);
    expect(await stopped).toEqual({ code: 0, signal: null });
    expect(isAlive(database)).toBe(false);
  });

  itInFullForm.each(['SIGINT', 'SIGHUP'] as const)(
    'ends with exit code 0 on %s as it does on SIGTERM',
    async (signal) => {
      const gateway = await start();
      expect(await gateway.stop(signal)).toEqual({ code: 0, signal: null });
    },
  );

  itInFullForm('ends with exit code 0 on Ctrl-C under npm, which signals the gateway twice', async () => {
    const gateway = await start(['npm', 'start']);
    const database = postmasterPid();
    const upload = slowUpload(gateway, 'interrupted.txt');
    await upload.begun;
    process.kill(-gateway.child.pid!, 'SIGINT');
    await untilClosed(gateway.url);
    expect(await upload.finish()).toBe(201);
    expect(await gateway.exit).toEqual({ code: 0, signal: null });
    expect([gateway.pid, database].filter(isAlive)).toEqual([]);
  });

  it('serves and stops in order after the readers of its output have ended', async () => {
    const gateway = await start();
    const database = postmasterPid();
    gateway.child.stdout!.destroy();
    gateway.child.stderr!.destroy();
    await expectEverythingThere(gateway);
    expect(await gateway.stop('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(isAlive(database)).toBe(false);
  });

  itInFullForm('serves and stops in order although its output cannot be written', async () => {
    const port = await freePort();
    const command = ['sh', '-c', 'exec bin/drawbridge-app standalone > /dev/full 2>&1'];
    const gateway = spawnApp({ command, env: { ...environment(), PORT: String(port), LOG_LEVEL: 'debug' } });
    const url = `http://127.0.0.1:${port}`;
    await eventually('the start', () =>
      fetch(`${url}/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    const database = postmasterPid();
    await expectEverythingThere({ url });
    gateway.child.kill('SIGTERM');
    expect(await gateway.exit).toEqual({ code: 0, signal: null });
    expect(isAlive(database)).toBe(false);
  });

  itInFullForm('ends with exit code 0 when npm alone gets SIGTERM', async () => {
    const gateway = await start(['npm', 'start']);
    const database = postmasterPid();
    expect(await gateway.stop('SIGTERM')).toEqual({ code: 0, signal: null });
    expect([gateway.pid, database].filter(isAlive)).toEqual([]);
  });

  (isRoot ? it : it.skip)('runs as an ordinary account too (tried by root only)', async () => {
    home = mkdtempSync(join(tmpdir(), 'drawbridge-ordinary-'));
    chownSync(home, 65534, 65534);
    const gateway = await spawnGateway({
      env: { ...environment(), DATA_DIR: join(home, 'data'), HOME: home },
      cwd: REPOSITORY,
      uid: 65534,
      gid: 65534,
    });
    const status = await fetch(`${gateway.url}/status.php`);
    expect(status.status).toBe(200);
    // Root uses the command line on the instance of that account.
    const listing = spawnApp({
      command: ['bin/drawbridge', 'user', 'list'],
      env: { DATA_DIR: join(home, 'data') },
    });
    expect(await listing.exit).toEqual({ code: 0, signal: null });
    expect(await gateway.stop()).toEqual({ code: 0, signal: null });
  });
});
