import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, readConfig } from '#platform';
import { basicAuth, createEmptyDatabase, eventually } from '#testing';
import { startInstance, type WholeInstance } from '../../apps/standalone/src';

describe('two gateways that start together on one empty database', () => {
  let database: { url: string; drop(): Promise<void> };
  let directory: string;
  let gateways: WholeInstance[];

  beforeAll(async () => {
    database = await createEmptyDatabase();
    directory = mkdtempSync(join(tmpdir(), 'drawbridge-two-'));
    gateways = await Promise.all(
      ['one', 'two'].map((name) => {
        const env = {
          PORT: '0',
          DATA_DIR: join(directory, name),
          BLOB_STORE: `file:${join(directory, 'blobs')}`,
          DATABASE_URL: database.url,
          DATABASE_POOL: '5',
          ENCRYPTION_KEY: '0'.repeat(64),
          LOG_LEVEL: 'error',
        };
        const config = readConfig(env);
        return startInstance({ config, logger: createLogger(config.LOG_LEVEL), announce: () => undefined });
      }),
    );
  });
  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await database.drop();
    rmSync(directory, { recursive: true, force: true });
  });

  /** The generated password: only the gateway that created the account has it in its directory. */
  const keptPasswords = (): string[] =>
    gateways
      .map(({ dataDirectory }) => join(dataDirectory, 'admin-password'))
      .filter((file) => existsSync(file))
      .map((file) => readFileSync(file, 'utf8').trim());

  it('create one administrator, whose password one of them keeps in a file', async () => {
    const kept = keptPasswords();
    expect(kept).toHaveLength(1);
    for (const { app } of gateways) {
      const headers = { authorization: basicAuth('admin', kept[0]!) };
      expect((await fetch(`${app.url}/ocs/v2.php/cloud/user`, { headers })).status).toBe(200);
    }
  });

  it('serve each other’s users, files and changes', async () => {
    const password = keptPasswords()[0]!;
    const [one, two] = gateways.map(({ app }) => app.url);
    const asAdmin = { authorization: basicAuth('admin', password) };
    const body = new URLSearchParams({ userid: 'carol', password: 'a-password-of-carol' });
    await fetch(`${one}/ocs/v2.php/cloud/users`, { method: 'POST', headers: asAdmin, body });
    const asCarol = { authorization: basicAuth('carol', 'a-password-of-carol') };
    const upload = await fetch(`${two}/remote.php/webdav/a.txt`, {
      method: 'PUT',
      headers: asCarol,
      body: 'hello',
    });
    expect(upload.status).toBe(201);
    expect(await (await fetch(`${one}/remote.php/webdav/a.txt`, { headers: asCarol })).text()).toBe('hello');
    await fetch(`${one}/ocs/v2.php/cloud/users/carol/disable`, { method: 'PUT', headers: asAdmin });
    await eventually('the end of carol’s access', async () => {
      const { status } = await fetch(`${two}/remote.php/webdav/a.txt`, { headers: asCarol });
      return status !== 200;
    });
  });
});
