import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  agreeOnLookupKey,
  BackupTimesRepository,
  BlobRepository,
  Database,
  migrate,
  UnfinishedRestore,
  withSnapshot,
} from '#persistence';
import { readConfig, SecretBox } from '#platform';
import { DiskBlobStore, parsePath, storageOn, userView } from '#storage';
import { createEmptyDatabase, createTestDatabase, REPOSITORY } from '#testing';
import { startS3Server } from '../../../../libs/testing/src/rigs/s3-server';
import type { Output } from '../command';
import { parseCommandLine } from '../command-line';
import { Instance } from '../instance';
import { itInFullForm } from '../../../../libs/testing/src/full-form';

const KEY = 'ab'.repeat(32);
const OTHER_KEY = 'cd'.repeat(32);

let directory: string;
let clean: (() => Promise<unknown>)[];
/** An instance that no test changes, and a backup of it. */
let kept: { readonly here: Source; readonly backup: string; end(): Promise<void> };

beforeAll(async () => {
  begin();
  const here = await source();
  const backup = target('backup.tar');
  await drawbridge(here.env, 'backup', backup);
  kept = { here, backup, end: endOf(directory, clean) };
});
afterAll(() => kept.end());
beforeEach(() => begin());
afterEach(() => endOf(directory, clean)());

function begin(): void {
  directory = mkdtempSync(join(tmpdir(), 'drawbridge-backup-'));
  clean = [];
}

const endOf = (made: string, steps: (() => Promise<unknown>)[]) => async (): Promise<void> => {
  for (const step of steps.reverse()) await step();
  rmSync(made, { recursive: true, force: true });
};

interface Place {
  readonly env: Readonly<Record<string, string>>;
  readonly database: Database;
  readonly blobs: DiskBlobStore;
}

async function placeAt(url: string, database: Database, name: string): Promise<Place> {
  const DATA_DIR = join(directory, name);
  mkdirSync(DATA_DIR);
  return {
    env: { DATABASE_URL: url, DATA_DIR },
    database,
    blobs: await DiskBlobStore.open(join(DATA_DIR, 'blobs')),
  };
}

interface Source extends Place {
  readonly blobKey: string;
}

/** An instance with a file of Alice and a link to it. */
async function source(): Promise<Source> {
  const test = await createTestDatabase();
  clean.push(() => test.drop());
  const place = await placeAt(test.url, test.database, 'source');
  const secrets = new SecretBox(() => Buffer.from(KEY, 'hex'));
  await agreeOnLookupKey(test.database, secrets);
  const { blobKey } = await place.blobs.write(Readable.from(['of alice']));
  await test.database.dataSource.query(`${CONTENT};${UPLOAD}`);
  await test.database.dataSource.query(`UPDATE node SET blob_key = $1 WHERE kind = 'file'`, [blobKey]);
  await test.database.dataSource.query('UPDATE share SET token_enc = $1', [secrets.seal('token')]);
  return { ...place, env: { ...place.env, ENCRYPTION_KEY: KEY }, blobKey };
}

async function emptyPlace(name = 'target'): Promise<Place> {
  const { url, drop } = await createEmptyDatabase();
  clean.push(drop);
  const database = await Database.connect({ url, poolSize: 2, applicationName: 'drawbridge specs' });
  clean.push(() => database.close());
  return placeAt(url, database, name);
}

const CONTENT = `
  INSERT INTO user_account (uid, display_name, password_hash) VALUES ('alice', E'Alice\\t\\\\ "A"', '-');
  INSERT INTO setting (app, key, value) VALUES ('core', 'shareapi_enabled', 'yes');
  INSERT INTO storage (key, owner_uid) VALUES ('home::alice', 'alice');
  INSERT INTO node (storage_id, owner_uid, name, path, kind, mimetype, mtime, etag, size)
    SELECT id, 'alice', '', '', 'folder', 'httpd/unix-directory', now(), 'root', 8 FROM storage;
  INSERT INTO node (storage_id, parent_id, owner_uid, name, path, kind, mimetype, mtime, etag, size, blob_key)
    SELECT storage_id, id, 'alice', 'a.txt', '/a.txt', 'file', 'text/plain', now(), 'file', 8, 'blob' FROM node;
  INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, permissions, token_hmac, token_enc, name)
    SELECT 3, id, 'alice', 'alice', 1, '\\x01', '\\x02', 'link' FROM node WHERE name = 'a.txt'`;

const UPLOAD = `
  INSERT INTO upload (kind, name, uid, storage_id) SELECT 'chunks', 'u', 'alice', id FROM storage;
  INSERT INTO upload_part (upload_id, name, size, blob_key) SELECT id, '1', 8, 'piece' FROM upload`;

function started(
  env: Readonly<Record<string, string>>,
  words: string[],
): { instance: Instance; output: Promise<Output> } {
  const { command, input } = parseCommandLine(words)!;
  const instance = new Instance(readConfig(env), command.anySchema ?? false);
  const run = async (): Promise<Output> => {
    try {
      return await command.run(input, instance);
    } finally {
      await instance.close();
    }
  };
  return { instance, output: run() };
}

const drawbridge = (env: Readonly<Record<string, string>>, ...words: string[]): Promise<Output> =>
  started(env, words).output;

async function contentOf({ database, blobs }: Place): Promise<string> {
  const [row] = await database.dataSource.query<{ key: string }[]>(
    `SELECT blob_key AS key FROM node WHERE kind = 'file'`,
  );
  return (await buffer(await blobs.read(row!.key))).toString();
}

const isUntouched = async ({ database, blobs }: Place): Promise<boolean> => {
  const mark = new UnfinishedRestore(database);
  for await (const _blob of blobs.list()) return false;
  return (await mark.isAlone()) && !(await mark.isPresent());
};

const target = (name: string): string => join(directory, name);

describe.each(['a file', 'a directory'])('a backup in %s', (kind) => {
  const path = (): string => target(kind === 'a file' ? 'backup.tar' : 'backup/');

  it('is restored with rows, contents, secrets and positions of sequences', async () => {
    const { here } = kept;
    expect(await drawbridge(here.env, 'backup', path())).toMatchObject({
      isBad: false,
      record: { blobs: { count: 1, bytes: 8, missing: 0 }, encryptionKey: 'left out' },
    });
    const there = await emptyPlace();
    expect(await drawbridge({ ...there.env, ENCRYPTION_KEY: KEY }, 'restore', path())).toMatchObject({
      isBad: false,
      record: { migrated: [], unreadable: 0 },
    });
    expect(await contentOf(there)).toBe('of alice');
    const query = there.database.dataSource.query.bind(there.database.dataSource);
    expect(await query('SELECT display_name FROM user_account')).toEqual([{ display_name: 'Alice\t\\ "A"' }]);
    const [{ id: before }] = await query('SELECT max(id) AS id FROM node');
    const [{ id: next }] = await query(`SELECT nextval(pg_get_serial_sequence('node', 'id')) AS id`);
    expect(next).toBeGreaterThan(before + 50_000);
    // Backups contain no parts of unfinished uploads.
    expect(await query('SELECT id FROM upload')).toEqual([]);
    // Triggers are on again.
    expect(await query(`SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgenabled = 'D'`)).toEqual(
      [],
    );
  });

  it('has contents that wait for partners', async () => {
    const { here } = kept;
    const { blobKey } = await here.blobs.write(Readable.from(['for a partner']));
    await here.database.dataSource.query(
      `INSERT INTO stored_write (received_share_id, peer_id, path, writer_uid, share_name, host_key, size, sha1, blob_key, mtime)
       VALUES (1, 1, '/a', 'alice', 'Share', 'partner.example', 13, '-', $1, now())`,
      [blobKey],
    );
    await drawbridge(here.env, 'backup', path());
    await here.database.dataSource.query('DELETE FROM stored_write');
    const there = await emptyPlace();
    await drawbridge({ ...there.env, ENCRYPTION_KEY: KEY }, 'restore', path());
    const [row] = await there.database.dataSource.query<{ key: string }[]>(
      'SELECT blob_key AS key FROM stored_write',
    );
    expect((await buffer(await there.blobs.read(row!.key))).toString()).toBe('for a partner');
  });

  it('is refused if one of its bytes is wrong, and nothing is changed', async () => {
    const { here } = kept;
    await drawbridge(here.env, 'backup', path());
    const file = kind === 'a file' ? path() : join(path(), 'blobs', here.blobKey);
    const bytes = readFileSync(file);
    const at = bytes.indexOf('of alice');
    bytes[at] = 'O'.charCodeAt(0);
    writeFileSync(file, bytes);
    const there = await emptyPlace();
    await expect(drawbridge({ ...there.env, ENCRYPTION_KEY: KEY }, 'restore', path())).rejects.toThrow(
      'contents of files are not those of its manifest',
    );
    expect(await isUntouched(there)).toBe(true);
  });

  it('does not overwrite an existing file', async () => {
    const { here } = kept;
    await drawbridge(here.env, 'backup', path());
    await expect(drawbridge(here.env, 'backup', path())).rejects.toThrow(
      /needs a new or empty directory|overwrites nothing/,
    );
  });
});

it.each(['missing', 'a-file'])('a backup below %s is refused in one sentence', async (name) => {
  writeFileSync(target('a-file'), '');
  const sentence = `${target(name)} is not a directory that this account may write.`;
  for (const path of [join(target(name), 'backup.tar'), join(target(name), 'backup/')])
    await expect(drawbridge(kept.here.env, 'backup', path)).rejects.toThrow(sentence);
  await expect(
    drawbridge(kept.here.env, 'backup:rehearse', kept.backup, '--scratch', target(name)),
  ).rejects.toThrow(sentence);
});

it('a truncated backup file is refused', async () => {
  const bytes = readFileSync(kept.backup);
  writeFileSync(target('cut.tar'), bytes.subarray(0, bytes.length - 4096));
  const there = await emptyPlace();
  await expect(
    drawbridge({ ...there.env, ENCRYPTION_KEY: KEY }, 'restore', target('cut.tar')),
  ).rejects.toThrow(/incomplete|cannot be used/);
  expect(await isUntouched(there)).toBe(true);
});

it('an interrupted backup leaves no file', async () => {
  const { here } = kept;
  const { instance, output } = started(here.env, ['backup', target('backup.tar')]);
  const interrupted = expect(output).rejects.toThrow(/Interrupted/);
  await instance.interrupt();
  await interrupted;
  expect(readdirSync(directory)).toEqual([]);
});

it('an interrupted restore leaves nothing', async () => {
  const there = await emptyPlace();
  const { instance, output } = started({ ...there.env, ENCRYPTION_KEY: KEY }, ['restore', kept.backup]);
  const interrupted = expect(output).rejects.toThrow(/Interrupted/);
  await instance.interrupt();
  await interrupted;
  expect(await isUntouched(there)).toBe(true);
});

it('after a killed restore no process makes a schema, and the next restore begins again', async () => {
  const there = await emptyPlace();
  await new UnfinishedRestore(there.database).begin(`file:${join(there.env.DATA_DIR!, 'blobs')}`);
  const left = await there.blobs.write(Readable.from(['left behind']));
  await expect(migrate(there.database)).rejects.toThrow(/cut off/);
  await drawbridge({ ...there.env, ENCRYPTION_KEY: KEY }, 'restore', kept.backup);
  expect(await there.blobs.has(left.blobKey)).toBe(false);
  expect(await contentOf(there)).toBe('of alice');
  expect(await migrate(there.database)).toEqual([]);
});

describe('a restore is refused', () => {
  it('if there is a database', async () => {
    const env = { ...kept.here.env, BLOB_STORE: `file:${target('elsewhere')}` };
    await expect(drawbridge(env, 'restore', kept.backup)).rejects.toThrow('The database is not empty');
  });

  it('if there are contents', async () => {
    const there = await emptyPlace();
    const foreign = await there.blobs.write(Readable.from(['foreign']));
    const restore = drawbridge({ ...there.env, ENCRYPTION_KEY: KEY }, 'restore', kept.backup);
    await expect(restore).rejects.toThrow('holds contents already');
    expect(await there.blobs.has(foreign.blobKey)).toBe(true);
  });

  it('without its encryption key, and with another one', async () => {
    const there = await emptyPlace();
    await expect(drawbridge(there.env, 'restore', kept.backup)).rejects.toThrow(
      'The encryption key is not in this backup',
    );
    await expect(
      drawbridge({ ...there.env, ENCRYPTION_KEY: OTHER_KEY }, 'restore', kept.backup),
    ).rejects.toThrow('The encryption key is not that of this backup');
    expect(await isUntouched(there)).toBe(true);
  });
});

it('includes the encryption key on request, and restores it to the file that the gateway reads', async () => {
  const { here } = kept;
  const backup = await drawbridge(here.env, 'backup', '--with-encryption-key', target('backup.tar'));
  expect(backup).toMatchObject({ record: { encryptionKey: 'included' } });
  const there = await emptyPlace();
  await drawbridge(there.env, 'restore', target('backup.tar'));
  expect(readFileSync(join(there.env.DATA_DIR!, 'encryption-key'), 'utf8').trim()).toBe(KEY);
});

itInFullForm('is restored into another kind of store', async () => {
  const s3 = await startS3Server();
  clean.push(() => s3.close());
  const there = await emptyPlace();
  const env = {
    ...there.env,
    ENCRYPTION_KEY: KEY,
    BLOB_STORE: `s3://${s3.bucket}/kept`,
    S3_ENDPOINT: s3.endpoint,
    S3_ACCESS_KEY_ID: s3.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
  };
  await drawbridge(env, 'restore', kept.backup);
  expect(await drawbridge(env, 'files:check')).toMatchObject({ isBad: false, record: { found: 0 } });
  await drawbridge(env, 'backup', target('again.tar'));
  const back = await emptyPlace('back');
  await drawbridge({ ...back.env, ENCRYPTION_KEY: KEY }, 'restore', target('again.tar'));
  expect(await contentOf(back)).toBe('of alice');
});

it('has the versions of files', async () => {
  const here = await source();
  const { writer } = await storageOn(here.database, readConfig(here.env));
  await writer.put(userView('alice'), parsePath('/a.txt'), Readable.from(['newer']));
  expect(await drawbridge(here.env, 'backup', target('versions.tar'))).toMatchObject({
    record: { blobs: { count: 2, bytes: 13, missing: 0 } },
  });
  const there = await emptyPlace();
  await drawbridge({ ...there.env, ENCRYPTION_KEY: KEY }, 'restore', target('versions.tar'));
  const [version] = await there.database.dataSource.query<{ key: string }[]>(
    'SELECT blob_key AS key FROM file_version',
  );
  expect((await buffer(await there.blobs.read(version!.key))).toString()).toBe('of alice');
  expect(await contentOf(there)).toBe('newer');
  expect(await drawbridge(there.env, 'files:check')).toMatchObject({ isBad: false, record: { found: 0 } });
});

it('refuses to add a key that is not the key of the instance', async () => {
  const { here } = kept;
  const env = { ...here.env, ENCRYPTION_KEY: OTHER_KEY };
  await expect(drawbridge(env, 'backup', '--with-encryption-key', target('backup.tar'))).rejects.toThrow(
    'The encryption key is not that of this instance',
  );
  expect(existsSync(target('backup.tar'))).toBe(false);
});

it('names contents that are missing in the store, and leaves contents out on request', async () => {
  const here = await source();
  await here.blobs.delete(here.blobKey);
  expect(await drawbridge(here.env, 'backup', target('lost.tar'))).toMatchObject({
    isBad: true,
    record: { blobs: { count: 0, missing: 1 } },
  });
  await drawbridge(here.env, 'backup', '--without-blobs', target('rows.tar'));
  const there = await emptyPlace();
  const restored = await drawbridge({ ...there.env, ENCRYPTION_KEY: KEY }, 'restore', target('rows.tar'));
  expect(restored).toMatchObject({ record: { blobs: null } });
});

it('keeps contents from being removed during a backup', async () => {
  const { database } = kept.here;
  const blobs = new BlobRepository(database);
  expect(await blobs.areHeld()).toBe(false);
  await withSnapshot(database, async () => expect(await blobs.areHeld()).toBe(true));
  expect(await blobs.areHeld()).toBe(false);
});

itInFullForm('contains files that are overwritten or removed during it', async () => {
  const here = await source();
  // There is no room for versions, so that overwritten contents would be removed at once.
  await here.database.dataSource.query(
    `UPDATE user_account SET quota_bytes = 100; INSERT INTO setting VALUES ('files_versions', 'quota_percent', '1')`,
  );
  const { writer } = await storageOn(here.database, readConfig(here.env));
  const put = (text: string) => writer.put(userView('alice'), parsePath('/a.txt'), Readable.from([text]));
  const contents = async (): Promise<string[]> => {
    const found: string[] = [];
    for await (const { blobKey } of here.blobs.list())
      found.push((await buffer(await here.blobs.read(blobKey))).toString());
    return found.sort();
  };
  await withSnapshot(here.database, async () => {
    await put('second');
    expect(await contents()).toEqual(['of alice', 'second']);
    await writer.remove(userView('alice'), parsePath('/a.txt'));
    expect(await contents()).toEqual(['of alice', 'second']);
  });
  await put('third');
  await put('fourth');
  expect(await contents()).toEqual(['fourth', 'of alice', 'second']);
});

itInFullForm('restores the backup of an older schema, and migrates it', async () => {
  const old = await emptyPlace('old');
  const schema = readFileSync(join(REPOSITORY, 'test/fixtures/schema/0005-inbound.sql'), 'utf8');
  await old.database.dataSource.query(schema);
  await old.database.dataSource.query(CONTENT);
  const { blobKey } = await old.blobs.write(Readable.from(['of then']));
  await old.database.dataSource.query(`UPDATE node SET blob_key = $1 WHERE kind = 'file'`, [blobKey]);
  await old.database.dataSource.query('UPDATE share SET token_hmac = NULL, token_enc = NULL');
  await drawbridge(old.env, 'backup', target('old.tar'));
  const there = await emptyPlace();
  const restored = await drawbridge({ ...there.env, ENCRYPTION_KEY: KEY }, 'restore', target('old.tar'));
  expect(restored).toMatchObject({
    isBad: false,
    record: { migrated: expect.arrayContaining(['RemoteMounts1764000000006']) },
  });
  expect(await contentOf(there)).toBe('of then');
});

describe('a rehearsal', () => {
  const times = async ({ database }: Place) => new BackupTimesRepository(database).read();
  const rehearsal = (env: Readonly<Record<string, string>>, backup: string) => {
    mkdirSync(target('scratch'), { recursive: true });
    return drawbridge(env, 'backup:rehearse', backup, '--scratch', target('scratch'));
  };

  it('restores a backup beside the instance, leaves nothing, and stores the time of both', async () => {
    const { here, backup } = kept;
    const { made } = await times(here);
    expect(Math.abs(Date.now() - made!.getTime())).toBeLessThan(10 * 60_000);
    const { rehearsed: before } = await times(here);
    expect(before).toBeNull();
    expect(await rehearsal(here.env, backup)).toMatchObject({ record: { blobs: 1 } });
    expect(readdirSync(target('scratch'))).toEqual([]);
    expect((await times(here)).rehearsed!.getTime()).toBeLessThanOrEqual(made!.getTime() + 60_000);
    expect(await contentOf(here)).toBe('of alice');
  });

  itInFullForm('refuses a damaged backup, or one of another instance, and stores no time', async () => {
    const here = await source();
    await here.database.dataSource.query(`UPDATE instance SET instance_id = 'of-another'`);
    const bytes = readFileSync(kept.backup);
    writeFileSync(target('cut.tar'), bytes.subarray(0, bytes.length - 4096));
    await expect(rehearsal(here.env, target('cut.tar'))).rejects.toThrow('This backup');
    await expect(rehearsal(here.env, kept.backup)).rejects.toThrow('another instance');
    expect(await times(here)).toMatchObject({ rehearsed: null });
    expect(readdirSync(target('scratch'))).toEqual([]);
  });
});
