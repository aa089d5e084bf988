import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createTestDatabase,
  eventually,
  REPOSITORY,
  spawnApp,
  type StartedProcess,
  type TestDatabase,
} from '#testing';
import { itInFullForm } from '../../libs/testing/src/full-form';

/** Metrics that the process serves on its METRICS_PORT, which its log contains. */
async function metricsOf(output: string): Promise<string> {
  const port = /"port":(\d+),"msg":"metrics are served"/.exec(output)![1];
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
  return (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
}

// Long enough to start processes on a busy machine.
describe('each app', () => {
  let database: TestDatabase;
  let directory: string;
  let started: StartedProcess | undefined;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'drawbridge-apps-'));
    database = await createTestDatabase();
  });
  // A process of a failed test must not continue after it.
  afterEach(() => started?.child.kill('SIGKILL'));
  afterAll(async () => {
    await database.drop();
    rmSync(directory, { recursive: true, force: true });
  });

  it.each([
    ['share-api', '/ocs/v2.php/cloud/users', 401],
    ['capabilities', '/status.php', 200],
    ['files', '/remote.php/webdav/', 401],
    ['federation-api', '/ocm-provider/', 200],
    ['federation-worker', '/', 404],
  ])('%s starts alone, is ready, serves its paths and stops', async (app, path, status) => {
    const running = spawnApp({
      app,
      env: {
        PORT: '0',
        METRICS_PORT: '0',
        PUBLIC_URL: 'https://cloud.example.org',
        DATA_DIR: directory,
        DATABASE_URL: database.url,
        ENCRYPTION_KEY: '0'.repeat(64),
      },
    });
    started = running;
    const port = await eventually(
      `the start of ${app}`,
      () => /"port":(\d+),"msg":"listening"/.exec(running.output())?.[1],
    );
    expect((await fetch(`http://127.0.0.1:${port}/health/ready`)).status).toBe(200);
    expect((await fetch(`http://127.0.0.1:${port}${path}`)).status).toBe(status);
    expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).not.toBe(200);
    const metrics = await metricsOf(running.output());
    expect(metrics).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
    expect(metrics).toMatch(/^drawbridge_database_connections\{state="busy"\} \d/m);
    expect(metrics).toMatch(
      /^drawbridge_http_request_duration_seconds_count\{method="GET",route="\/health\/ready",status="200"\} 1$/m,
    );
    expect(/^drawbridge_outbox_messages\{state="pending"\} 0$/m.test(metrics)).toBe(
      app === 'federation-worker',
    );
    expect(/^drawbridge_unfinished_uploads 0$/m.test(metrics)).toBe(app === 'files');
    expect(/^drawbridge_queue_jobs\{queue="delivery"\} 0$/m.test(metrics)).toBe(app === 'federation-worker');
    running.child.kill('SIGTERM');
    expect(await running.exit).toEqual({ code: 0, signal: null });
  });

  itInFullForm('is built by `nest build`', async () => {
    // A copy, because other specs run files from dist, which must not change during their run.
    const copy = join(directory, 'copy');
    for (const name of [
      'apps',
      'libs',
      'package.json',
      'nest-cli.json',
      'tsconfig.build.json',
      'tsconfig.base.json',
    ])
      cpSync(join(REPOSITORY, name), join(copy, name), { recursive: true });
    symlinkSync(join(REPOSITORY, 'node_modules'), join(copy, 'node_modules'));
    // The build checks types; this spec only checks that Nest finds its files and writes them to the right place.
    const base = JSON.parse(readFileSync(join(copy, 'tsconfig.base.json'), 'utf8')) as {
      compilerOptions: object;
    };
    base.compilerOptions = { ...base.compilerOptions, noCheck: true };
    writeFileSync(join(copy, 'tsconfig.base.json'), JSON.stringify(base));
    const build = spawnApp({ command: ['node_modules/.bin/nest', 'build', 'share-api'], cwd: copy, env: {} });
    const { code } = await build.exit;
    expect({ code, output: build.output() }).toMatchObject({ code: 0 });
    expect(existsSync(join(copy, 'dist/apps/share-api/src/main.js'))).toBe(true);
  });
});
