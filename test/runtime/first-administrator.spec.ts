import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { basicAuth, createEmptyDatabase, eventually, spawnGateway, type SpawnedGateway } from '#testing';

// Long enough to start processes on a busy machine.
describe('the generated password of the first administrator', () => {
  let database: { url: string; drop(): Promise<void> };
  let directory: string;
  let gateway: SpawnedGateway;
  let file: string;
  let password: string;

  const start = (): Promise<SpawnedGateway> =>
    spawnGateway({
      env: {
        DATA_DIR: directory,
        DATABASE_URL: database.url,
        ENCRYPTION_KEY: '0'.repeat(64),
        LOG_LEVEL: 'trace',
      },
    });
  const call = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${gateway.url}/ocs/v2.php/cloud/${path}`, {
      ...init,
      headers: { authorization: basicAuth('admin', password) },
    });

  beforeAll(async () => {
    database = await createEmptyDatabase();
    directory = mkdtempSync(join(tmpdir(), 'drawbridge-administrator-'));
    file = join(directory, 'admin-password');
    gateway = await start();
    password = readFileSync(file, 'utf8').trim();
  });
  afterAll(async () => {
    await gateway.stop();
    await database.drop();
    rmSync(directory, { recursive: true, force: true });
  });

  it('is written to a file that only its owner can read, and signs in', async () => {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(password).toHaveLength(20);
    expect((await call('user')).status).toBe(200);
  });

  it('is neither printed nor logged by the first start and the next; the output names the file', async () => {
    expect(gateway.output()).toContain(`password: in ${file}`);
    expect(gateway.output()).not.toContain(password);
    await gateway.stop();
    gateway = await start();
    expect(gateway.output()).toContain(`password: in ${file}`);
    expect((await call('user')).status).toBe(200);
    expect(gateway.output()).not.toContain(password);
  });

  it('is removed from the disk when the administrator changes it', async () => {
    const body = new URLSearchParams({ key: 'password', value: 'another-password-of-admin' });
    expect((await call('users/admin', { method: 'PUT', body })).status).toBe(200);
    await eventually('the removal of the file', () => !existsSync(file));
  });
});

describe('a weak ADMIN_PASSWORD', () => {
  it('is taken, and named in the log of the start', async () => {
    const database = await createEmptyDatabase();
    const directory = mkdtempSync(join(tmpdir(), 'drawbridge-administrator-'));
    const gateway = await spawnGateway({
      env: { DATA_DIR: directory, DATABASE_URL: database.url, ADMIN_PASSWORD: 'geheim' },
    });
    const { status } = await fetch(`${gateway.url}/ocs/v2.php/cloud/user`, {
      headers: { authorization: basicAuth('admin', 'geheim') },
    });
    await gateway.stop();
    await database.drop();
    rmSync(directory, { recursive: true, force: true });
    expect(status).toBe(200);
    expect(gateway.output()).toContain(
      'ADMIN_PASSWORD is weak: The password must be at least 10 characters long. Change it in the account too: a start never changes a password.',
    );
    expect(gateway.output()).not.toContain('geheim');
  });
});
