import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, explainFailure, readConfig, SecretBox, type Config } from '#platform';
import { createEmptyDatabase, createTestDatabase, spawnApp, type TestDatabase } from '#testing';
import { startInstance } from '../../apps/standalone/src';

/** The sentence about a start of the whole product that must fail; it ends the process with exit code 1. */
async function sentenceOf(env: Record<string, string>): Promise<string> {
  let config: Config | undefined;
  try {
    config = readConfig(env);
    const instance = await startInstance({
      config,
      logger: createLogger('error'),
      announce: () => undefined,
    });
    await instance.stop();
    return 'It started.';
  } catch (error) {
    return explainFailure(error, config);
  }
}

/** Message of a process that must fail at its start: the lines of standard error that are not log lines. */
async function refusalOf(
  env: Record<string, string>,
  app = 'standalone',
): Promise<{ code: number | null; said: string[] }> {
  const started = spawnApp({ app, env });
  const { code } = await started.exit;
  const said = started
    .errors()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('{'));
  return { code, said };
}

describe('a start that must fail ends with exit code 1 and a sentence', () => {
  let directory: string;
  let database: TestDatabase;
  let occupied: Server;
  let occupiedPort: number;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'drawbridge-refusals-'));
    writeFileSync(join(directory, 'a-file'), '');
    database = await createTestDatabase();
    occupied = createServer();
    await new Promise<void>((listening) => occupied.listen(0, '127.0.0.1', listening));
    occupiedPort = (occupied.address() as { port: number }).port;
  });
  afterAll(async () => {
    await new Promise((closed) => occupied.close(closed));
    await database.drop();
    rmSync(directory, { recursive: true, force: true });
  });

  const withDatabase = (change: (url: URL) => void): string => {
    const url = new URL(database.url);
    change(url);
    return url.href;
  };
  const anywhere = () => join(directory, 'data');

  it.each([
    [
      'a port that is no number',
      { PORT: 'http' },
      /^PORT is 'http', but must be a whole number from 0 to 65535\.$/,
    ],
    [
      'one port for metrics and for clients',
      { PORT: '8087', METRICS_PORT: '8087' },
      /^METRICS_PORT and PORT are both 8087: give them different ports\.$/,
    ],
    [
      'an unknown mode',
      { COMPATIBILITY: 'nextcloud' },
      /^COMPATIBILITY is 'nextcloud', but must be one of documented, owncloud10\.$/,
    ],
    [
      'a pooler without a database',
      { DATABASE_URL: '', DATABASE_POOLER_URL: 'postgres://drawbridge@127.0.0.1:6432/drawbridge' },
      /^DATABASE_POOLER_URL needs DATABASE_URL/,
    ],
    [
      'a replica without a database',
      { DATABASE_URL: '', DATABASE_REPLICA_URL: 'postgres://drawbridge@127.0.0.1:1/drawbridge' },
      /^DATABASE_REPLICA_URL needs DATABASE_URL/,
    ],
    [
      'a pooler where nothing listens',
      { DATABASE_POOLER_URL: 'postgres://drawbridge:secret@127.0.0.1:1/drawbridge' },
      /^DATABASE_POOLER_URL \(127\.0\.0\.1:1\) cannot be used: connect ECONNREFUSED/,
    ],
    [
      'sentinels without the name of their master',
      { REDIS_URL: 'redis://:secret@127.0.0.1:1', REDIS_SENTINELS: '127.0.0.1:1' },
      /^REDIS_SENTINELS is set, but REDIS_SENTINEL_MASTER is not: name the master that they watch\.$/,
    ],
    [
      'a duration without its unit',
      { SHUTDOWN_GRACE: '20' },
      /^SHUTDOWN_GRACE is '20', but must be a duration with its unit/,
    ],
    [
      'an address that is none',
      { PUBLIC_URL: 'cloud.example.org' },
      /^PUBLIC_URL is 'cloud.example.org', but must be an address/,
    ],
    [
      'a database address of another kind',
      { DATABASE_URL: 'mysql://db/x' },
      /^DATABASE_URL is 'mysql:\/\/db\/x', but must be/,
    ],
    [
      'a database address with an unencoded password',
      { DATABASE_URL: 'postgres://u:secret#1@127.0.0.1:9/x' },
      /^DATABASE_URL is 'postgres:\/\/u:\*\*\*@127\.0\.0\.1:9\/x', but must be an address .* percent-encoded\.$/,
    ],
    [
      'a database that nobody serves',
      { DATABASE_URL: 'postgres://u:secret@127.0.0.1:9/x' },
      /^The database at 127\.0\.0\.1:9 cannot be reached: start it, or correct DATABASE_URL\.$/,
    ],
    [
      'a database host that does not exist',
      { DATABASE_URL: 'postgres://u:secret@nowhere.invalid/x' },
      /^The host nowhere\.invalid of DATABASE_URL is not known/,
    ],
    [
      'an address of another machine',
      { HOST: '192.0.2.1' },
      /^This machine has no address 192\.0\.2\.1: set HOST/,
    ],
    [
      'an encryption key that is none',
      { ENCRYPTION_KEY: 'abc' },
      /^ENCRYPTION_KEY must hold 64 hexadecimal digits/,
    ],
    [
      'a user id that is refused',
      { ADMIN_USER: 'a/b', ADMIN_PASSWORD: 'x' },
      /^ADMIN_USER or ADMIN_PASSWORD cannot be used: /,
    ],
  ])('%s', async (_what, env: Record<string, string>, sentence) => {
    const fallback: Record<string, string> = { DATABASE_URL: database.url };
    const said = await sentenceOf({ PORT: '0', DATA_DIR: anywhere(), ...fallback, ...env });
    expect(said).toMatch(sentence);
    expect(said).not.toContain('secret');
  });

  it.each([
    [
      'a wrong database password',
      (url: URL) => (url.password = 'wrong'),
      /refuses the user or password: correct DATABASE_URL\.$/,
    ],
    [
      'a database that does not exist',
      (url: URL) => (url.pathname = '/nothing'),
      /The database that DATABASE_URL names does not exist/,
    ],
  ])('%s', async (_what, change, sentence) => {
    const env = { PORT: '0', DATA_DIR: anywhere(), DATABASE_URL: withDatabase(change) };
    expect(await sentenceOf(env)).toMatch(sentence);
  });

  it('all wrong variables of the configuration', async () => {
    expect(await refusalOf({ PORT: 'http', COMPATIBILITY: 'nextcloud', DATA_DIR: anywhere() })).toEqual({
      code: 1,
      said: [
        "drawbridge: PORT is 'http', but must be a whole number from 0 to 65535.",
        "COMPATIBILITY is 'nextcloud', but must be one of documented, owncloud10.",
      ],
    });
  });

  it('a port that is taken', async () => {
    const env = { PORT: String(occupiedPort), DATA_DIR: anywhere(), DATABASE_URL: database.url };
    expect(await refusalOf(env)).toEqual({
      code: 1,
      said: [
        `drawbridge: Port ${occupiedPort} on 127.0.0.1 is taken: stop what listens there, or set PORT to another one.`,
      ],
    });
  });

  it('a port for metrics that is taken', async () => {
    const env = {
      PORT: '0',
      METRICS_PORT: String(occupiedPort),
      DATA_DIR: anywhere(),
      DATABASE_URL: database.url,
    };
    expect(await sentenceOf(env)).toBe(
      `Port ${occupiedPort} on 127.0.0.1 is taken: stop what listens there, or set METRICS_PORT to another one.`,
    );
  });

  it('a data directory that is a file', async () => {
    const dataDirectory = join(directory, 'a-file');
    expect(await sentenceOf({ PORT: '0', DATA_DIR: dataDirectory })).toBe(
      `DATA_DIR ${dataDirectory} is not a directory: name a directory that this account may write.`,
    );
  });

  const belowProc = process.platform === 'linux' ? it : it.skip;
  belowProc('a data directory that the system makes nowhere, such as below /proc', async () => {
    const env = { PORT: '0', DATABASE_URL: database.url };
    expect(await sentenceOf({ ...env, DATA_DIR: '/proc/drawbridge/data' })).toBe(
      'DATA_DIR /proc/drawbridge/data cannot be written (ENOENT): name a directory that this account may write.',
    );
    expect(
      await sentenceOf({ ...env, DATA_DIR: anywhere(), BLOB_STORE: 'file:/proc/drawbridge/blobs' }),
    ).toBe(
      'BLOB_STORE /proc/drawbridge/blobs cannot be made (ENOENT): name a directory that this account may write.',
    );
  });

  it('an app alone on an empty schema', async () => {
    const empty = await createEmptyDatabase();
    const env = { PORT: '0', DATA_DIR: anywhere(), DATABASE_URL: empty.url, ENCRYPTION_KEY: '0'.repeat(64) };
    const { code, said } = await refusalOf(env, 'share-api');
    await empty.drop();
    expect(said).toEqual([
      expect.stringMatching(/schema is older than this version .*run 'drawbridge migrate' first\.$/),
    ]);
    expect(code).toBe(1);
  });

  it('another encryption key than that of the database', async () => {
    const known = new SecretBox(() => Buffer.alloc(32, 1)).lookup('encryption key of this instance');
    await database.database.dataSource.query('UPDATE instance SET key_check = $1', [known]);
    const env = {
      PORT: '0',
      DATA_DIR: anywhere(),
      DATABASE_URL: database.url,
      ENCRYPTION_KEY: '0'.repeat(64),
    };
    const said = await sentenceOf(env);
    await database.database.dataSource.query('UPDATE instance SET key_check = NULL');
    expect(said).toBe(
      'The encryption key is not the one this database is used with: give every process the same ENCRYPTION_KEY or ENCRYPTION_KEY_FILE.',
    );
  });

  it('an app alone with a misspelt variable, which is named too', async () => {
    const started = spawnApp({ app: 'files', env: { DATABASE_ULR: database.url } });
    const { code } = await started.exit;
    const { level, msg } = JSON.parse(started.errors().split('\n')[0]!) as { level: number; msg: string };
    expect({ code, level, msg }).toEqual({
      code: 1,
      level: 40,
      msg: 'DATABASE_ULR has no effect, because it is no variable of Drawbridge: perhaps DATABASE_URL is meant',
    });
  });

  it('an app alone without a database and a key', async () => {
    expect(await refusalOf({ PORT: '0' }, 'files')).toEqual({
      code: 1,
      said: [
        'drawbridge: DATABASE_URL is not set: name the PostgreSQL database of this instance.',
        'Neither ENCRYPTION_KEY nor ENCRYPTION_KEY_FILE is set: give every process of an instance the same key.',
      ],
    });
  });
});
