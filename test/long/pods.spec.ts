import { readFileSync } from 'node:fs';
import { APPS } from '../deployment/cluster-objects';
import { Engine } from './deploy/engine';
import { buildProduct, makeBases } from './deploy/images';
import { Pods, type PlayedPod } from './deploy/pods';

// An image is built here, and processes are started one after the other.
jest.setTimeout(60 * 60_000);

const MEGABYTE = 1024 ** 2;
const hindrance = Engine.hindrance() ?? Pods.hindrance();
const title = `pods of k8s/base, played by podman${hindrance === undefined ? '' : ` (skipped: ${hindrance})`}`;

(hindrance === undefined ? describe : describe.skip)(title, () => {
  let pods: Pods;
  const running = new Map<string, PlayedPod>();

  beforeAll(async () => {
    const engine = await Engine.start();
    try {
      await makeBases(engine);
      await buildProduct(engine);
      pods = await Pods.start(engine);
    } finally {
      await engine.stop();
    }
  });
  afterAll(() => pods?.stop());

  it('migrate the database as the Job of the base does', () => pods.migrate());

  it.each(APPS)('%s becomes ready as its Deployment describes it', async (app) => {
    running.set(app, await pods.startApp(app));
  });

  it.each(APPS)('%s runs without root, capabilities and a writable root, in little memory', async (app) => {
    const { pid } = running.get(app)!;
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    expect(status).toMatch(
      /^Uid:\t1000\t[\s\S]*^CapEff:\t0{16}$[\s\S]*^NoNewPrivs:\t1$[\s\S]*^Seccomp:\t2$/m,
    );
    expect(readFileSync(`/proc/${pid}/mounts`, 'utf8')).toMatch(/^\S+ \/ \S+ ro,/m);
    const resident = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)![1]) * 1024;
    expect(resident).toBeLessThan(400 * MEGABYTE);
  });

  it('serve an account and its files', async () => {
    const [shares, files] = [running.get('share-api')!.port, running.get('files')!.port];
    const asAdmin = ['--user', pods.admin];
    const account = await pods.ask(shares, '/ocs/v2.php/cloud/user?format=json', ...asAdmin);
    expect(account).toMatchObject({ code: 0, output: expect.stringContaining('"admin"') });
    const path = '/remote.php/webdav/in-a-pod.txt';
    expect(await pods.ask(files, path, ...asAdmin, '--request', 'PUT', '--data', 'kept')).toMatchObject({
      code: 0,
    });
    expect(await pods.ask(files, path, ...asAdmin)).toMatchObject({ code: 0, output: 'kept' });
  });

  it.each(APPS)('%s writes JSON lines and nothing else', async (app) => {
    const lines = (await pods.logsOf(app)).split('\n').filter(Boolean);
    expect(lines.filter((line) => !line.startsWith('{"level":'))).toEqual([]);
  });
});
