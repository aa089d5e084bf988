import { readFileSync, writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, REPOSITORY } from '#testing';
import { commandBlocks } from '../runtime/operations-pages';
import { Engine } from './deploy/engine';
import { buildNext, buildProduct, makeBases, NEXT_IMAGE, PRODUCT_IMAGE } from './deploy/images';
import { outerProxy, viaProxy } from './deploy/outer-proxy';
import { Probe } from './deploy/probe';
import { Project, SLOW_MS, type ProjectOptions } from './deploy/project';
import { takeTour } from './deploy/tour';

// Long enough to build images here and to start processes dozens of times.
jest.setTimeout(60 * 60_000);

const hindrance = Engine.hindrance();
const title = `containers${hindrance === undefined ? '' : ` (skipped: ${hindrance})`}`;
const APPS = ['share-api', 'capabilities', 'files', 'federation-api', 'federation-worker', 'web'];
const STATES = ['postgres', 'redis', 'proxy'];
const MEGABYTE = 1024 ** 2;
/** Projects of one machine reach each other by http at addresses of their networks. */
const NEIGHBOURS = { FEDERATION_ALLOW_HTTP: 'true', FEDERATION_ALLOW_ADDRESSES: '172.31.0.0/16' };

(hindrance === undefined ? describe : describe.skip)(title, () => {
  let engine: Engine;
  let project: Project;
  const made: Project[] = [];
  const make = (options: ProjectOptions) => {
    const one = Project.make(engine, options);
    made.push(one);
    return one;
  };

  beforeAll(async () => {
    engine = await Engine.start();
    await makeBases(engine);
    await buildProduct(engine);
    await buildNext(engine);
    project = make({ name: 'north', port: 18180, httpsPort: 18143, network: 201 });
    project.configure({ OUTER_PROXIES: `${project.gateway}/32` });
    await project.compose('up', '-d', '--no-build');
    await project.answers();
  });
  afterAll(async () => {
    try {
      for (const one of made.reverse()) await one.down();
    } finally {
      await engine?.stop();
    }
  });

  it('use an image that describes itself, and has no secret of its build', async () => {
    const [image] = JSON.parse(await engine.docker(['image', 'inspect', PRODUCT_IMAGE])) as [
      { Config: { User: string; Labels: Record<string, string> }; Size: number },
    ];
    expect(image.Config.User).toBe('1000:1000');
    expect(image.Config.Labels).toMatchObject({
      'org.opencontainers.image.title': 'Drawbridge',
      'org.opencontainers.image.revision': 'of-the-test',
    });
    const inside = (script: string) =>
      engine.docker(['run', '--rm', '--network', 'none', '--entrypoint', 'sh', PRODUCT_IMAGE, '-c', script]);
    const list = JSON.parse(await inside('cat sbom.cdx.json')) as { components: { name: string }[] };
    const names = list.components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['fastify', 'pg']));
    expect(names).not.toContain('jest');
    expect(await inside('ls -d /run/secrets/* /root/.npmrc /home/node/.npmrc 2>/dev/null; true')).toBe('');
    expect(await inside('stat -c %a /data /data/blobs')).toBe('700\n700\n');
  });

  it('run without root and privileges, and open one port only to this machine', async () => {
    const containers = await project.containers();
    expect(containers.map(({ service }) => service).sort()).toEqual([...APPS, ...STATES].sort());
    for (const { service, pid, user, ports } of containers) {
      expect({ service, ports }).toEqual({
        service,
        ports: service === 'proxy' ? [`${project.gateway}:18180`, `${project.gateway}:18143`] : [],
      });
      if (!APPS.includes(service)) continue;
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      expect({ service, user, status }).toMatchObject({
        user: '1000:1000',
        status: expect.stringMatching(/^Uid:\t1000\t[\s\S]*^CapEff:\t0{16}$[\s\S]*^NoNewPrivs:\t1$/m),
      });
      const resident = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)![1]) * 1024;
      expect({ service, isSmall: resident < 400 * MEGABYTE }).toEqual({ service, isSmall: true });
    }
  });

  it('write only JSON lines', async () => {
    for (const app of [...APPS]) {
      const written = await project.compose('logs', '--no-log-prefix', '--no-color', app);
      const wrong = written.split('\n').filter((line) => line !== '' && !line.startsWith('{"level":'));
      expect({ app, wrong }).toEqual({ app, wrong: [] });
    }
  });

  it('follow the README’s tour', async () => {
    const directory = join(project.directory, 'tour');
    mkdirSync(join(directory, 'data'), { recursive: true });
    writeFileSync(join(directory, 'data/admin-password'), project.admin.password);
    writeFileSync(join(directory, 'README.md'), readFileSync(join(REPOSITORY, 'README.md')));
    expect(await takeTour(directory, project.url)).toBeGreaterThan(5);
  });

  it('pass doctor, which reports an outer proxy that is not trusted', async () => {
    const findings = await doctor(project);
    expect(findings.filter(({ state }) => state === 'failed')).toEqual([]);
    for (const subject of ['connections', 'access', 'probe', 'TRUSTED_PROXIES'])
      expect(findings.filter((one) => one.subject === subject && one.state !== 'ok')).toEqual([]);
  });

  it('distinguish two clients behind another proxy, so that guesses of one do not lock out the other', async () => {
    const proxy = await outerProxy(project.url);
    try {
      const signIn = (client: string, password: string) =>
        viaProxy(proxy, client, { uid: 'admin', password });
      for (let attempt = 0; attempt < 12; attempt++) await signIn('203.0.113.7', `wrong-${attempt}`);
      expect(await signIn('203.0.113.7', 'wrong again')).toBe(429);
      expect(await signIn('203.0.113.8', 'wrong once')).toBe(401);
      expect(await signIn('203.0.113.8', project.admin.password)).toBe(200);
    } finally {
      proxy.close();
    }
  });

  it.each([...APPS, ...STATES])('serve again after %s was killed', async (service) => {
    const { pid } = (await project.containers()).find((one) => one.service === service)!;
    process.kill(pid, 'SIGKILL');
    await eventually(
      `${service} to be there again`,
      async () => {
        const found = (await project.containers()).find((one) => one.service === service);
        return (found !== undefined && found.pid !== 0 && found.pid !== pid) || undefined;
      },
      SLOW_MS,
    );
    await project.answers();
  });

  it('lose no request while image and schema are upgraded', async () => {
    await project.up();
    const text = 'kept through the upgrade';
    expect(
      (await project.fetch('/remote.php/webdav/kept.txt', { method: 'PUT', body: text })).status,
    ).toBeLessThan(300);
    const link = await linkTo(project, '/kept.txt');
    const probe = new Probe([
      () => project.fetch('/ocs/v2.php/cloud/user?format=json'),
      () => project.fetch('/remote.php/webdav/kept.txt'),
      () => project.fetch('/remote.php/webdav/changed.txt', { method: 'PUT', body: String(Date.now()) }),
      () => project.fetch('/ocs/v2.php/cloud/capabilities?format=json'),
      () => project.fetch('/.well-known/ocm'),
      () => project.fetch(link),
    ]);
    project.configure({ DRAWBRIDGE_IMAGE: NEXT_IMAGE });
    await project.up();
    const { asked, failures, slowestMs } = await probe.end();
    process.stderr.write(
      `upgrade: ${asked} requests, ${failures.length} failed, the slowest took ${slowestMs} ms\n`,
    );
    expect(asked).toBeGreaterThan(100);
    expect(failures).toEqual([]);
    expect(await (await project.fetch('/remote.php/webdav/kept.txt')).text()).toBe(text);
    const status = await project.drawbridge('status');
    expect(status).toMatchObject({ code: 0 });
  });

  it.each([...APPS, ...STATES])('serve again after %s was restarted', async (service) => {
    await project.compose('restart', service);
    await project.answers();
  });

  it('share with another project on the same machine', async () => {
    const south = make({ name: 'south', port: 18380, httpsPort: 18343, network: 203, variables: NEIGHBOURS });
    south.configure({ DRAWBRIDGE_IMAGE: NEXT_IMAGE });
    project.configure(NEIGHBOURS);
    await Promise.all([project, south].map((one) => one.compose('up', '-d', '--no-build')));
    await Promise.all([project, south].map((one) => one.answers()));
    const shares = '/ocs/v2.php/apps/files_sharing/api/v1';
    const body = new URLSearchParams({
      ...{ path: '/kept.txt', shareType: '6', shareWith: `admin@${new URL(south.url).host}` },
    });
    const offered = await project.fetch(`${shares}/shares?format=json`, { method: 'POST', body });
    expect({ status: offered.status, text: await offered.text() }).toMatchObject({ status: 200 });
    const pending = await eventually(
      'the offer',
      async () => {
        const answer = await south.fetch(`${shares}/remote_shares/pending?format=json`);
        const [first] = ((await answer.json()) as { ocs: { data: { id: number | string }[] } }).ocs.data;
        return first;
      },
      SLOW_MS,
    );
    const accepted = await south.fetch(`${shares}/remote_shares/pending/${pending.id}`, { method: 'POST' });
    expect(accepted.status).toBe(200);
    const read = await south.fetch('/remote.php/webdav/kept.txt');
    expect(await read.text()).toBe('kept through the upgrade');
    await south.down();
  });

  it('start by the commands of the page about installing', async () => {
    const block = commandBlocks(readFileSync(join(REPOSITORY, 'docs/operations/install.md'), 'utf8')).find(
      (text) => text.includes('docker compose up'),
    )!;
    const page = make({ name: 'page', port: 18480, httpsPort: 18443, network: 204 });
    const { code, output, errors } = await page.runCommands(block);
    // Doctor warns of http; nothing may fail.
    expect({ code, errors, output }).toMatchObject({ output: expect.stringMatching(/, 0 failed\n$/) });
    await page.down();
  });

  it('are backed up, rehearsed, and restored into another project', async () => {
    const backup = await project.tryCompose([
      ...['run', '--rm', '-T', '--no-deps', '--entrypoint', 'sh', 'files', '-c'],
      'cd /tmp && /app/bin/drawbridge backup --with-encryption-key /data/blobs/../backup.tar >&2 && /app/bin/drawbridge backup:rehearse /data/backup.tar >&2; echo $?; base64 /data/backup.tar',
    ]);
    const [code, ...archive] = backup.output.split('\n');
    expect({ code, errors: backup.errors }).toEqual({
      code: '0',
      errors: expect.stringContaining('found them whole'),
    });
    const other = make({ name: 'restored', port: 18280, httpsPort: 18243, network: 202 });
    other.configure({ DRAWBRIDGE_IMAGE: NEXT_IMAGE, ENCRYPTION_KEY: project.encryptionKey });
    await other.compose('up', '-d', '--no-build', '--wait', 'postgres');
    const restored = await other.tryCompose(
      [
        'run',
        '--rm',
        '-T',
        '--no-deps',
        '--entrypoint',
        'sh',
        'files',
        '-c',
        'base64 -d > /tmp/backup.tar && /app/bin/drawbridge restore /tmp/backup.tar',
      ],
      { input: archive.join('\n') },
    );
    expect(restored).toMatchObject({ code: 0, output: expect.stringContaining('Restored') });
    await other.compose('up', '-d', '--no-build');
    Object.assign(other.admin, project.admin);
    await other.answers();
    expect(await (await other.fetch('/remote.php/webdav/kept.txt')).text()).toBe('kept through the upgrade');
  });
});

interface Finding {
  readonly check: string;
  readonly subject: string;
  readonly state: string;
}

/** @returns path of the page of a new public link */
async function linkTo(project: Project, path: string): Promise<string> {
  const answer = await project.fetch('/ocs/v2.php/apps/files_sharing/api/v1/shares?format=json', {
    method: 'POST',
    body: new URLSearchParams({ path, shareType: '3' }),
  });
  const { token } = ((await answer.json()) as { ocs: { data: { token: string } } }).ocs.data;
  expect((await project.fetch(`/s/${token}`)).status).toBe(200);
  return `/s/${token}`;
}

async function doctor(project: Project): Promise<Finding[]> {
  const { output, errors } = await project.drawbridge('doctor', '--json');
  try {
    return (JSON.parse(output) as { findings: Finding[] }).findings;
  } catch {
    throw new Error(`doctor wrote ${output}${errors}`);
  }
}
