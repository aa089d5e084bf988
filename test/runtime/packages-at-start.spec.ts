import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, eventually, spawnApp, type StartedProcess, type TestDatabase } from '#testing';

/** Packages that are loaded with their first use: each would add 1 to 30 MB to every process of its apps. */
const LOADED_LATE = [
  '@aws-sdk/client-s3',
  '@opentelemetry/sdk-trace-base',
  '@simplewebauthn/server',
  'nodemailer',
  'sharp',
];

describe('a process that serves no request yet', () => {
  let database: TestDatabase;
  let directory: string;
  let started: StartedProcess | undefined;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'drawbridge-packages-'));
    database = await createTestDatabase();
  });
  // A process of a failed test must not continue after it.
  afterEach(() => started?.child.kill('SIGKILL'));
  afterAll(async () => {
    await database.drop();
    rmSync(directory, { recursive: true, force: true });
  });

  async function packagesOf(app: string): Promise<Set<string>> {
    const recorded = join(directory, `${app}.txt`);
    started = spawnApp({
      app,
      env: {
        PORT: '0',
        PUBLIC_URL: 'https://cloud.example.org',
        DATA_DIR: directory,
        DATABASE_URL: database.url,
        ENCRYPTION_KEY: '0'.repeat(64),
        NODE_OPTIONS: `--require=${join(__dirname, 'recorded-loads.cjs')}`,
        RECORDED_LOADS: recorded,
      },
    });
    const running = started;
    const listening = (): string | undefined => /"port":(\d+),"msg":"listening"/.exec(running.output())?.[1];
    const port = await eventually(`the start of ${app}`, listening);
    const isReady = async (): Promise<boolean> =>
      (await fetch(`http://127.0.0.1:${port}/health/ready`)).status === 200;
    await eventually(`the readiness of ${app}`, isReady);
    running.child.kill('SIGTERM');
    await running.exit;
    const names = readFileSync(recorded, 'utf8').matchAll(
      /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/g,
    );
    return new Set([...names].map(([, name]) => name!));
  }

  it.each(['share-api', 'capabilities', 'files', 'federation-api', 'federation-worker', 'web'])(
    '%s has loaded no package that is loaded late',
    async (app) => {
      const loaded = await packagesOf(app);
      expect(loaded).toContain('fastify');
      expect(LOADED_LATE.filter((name) => loaded.has(name))).toEqual([]);
    },
  );
});
