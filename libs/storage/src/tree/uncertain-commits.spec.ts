import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { administrationOn } from '#identity';
import { Database } from '#persistence';
import { readConfig } from '#platform';
import { DatabaseTap } from '../../../testing/src/rigs/database-tap';
import { createTestDatabase, type TestDatabase } from '../../../testing/src/rigs/test-database';
import { OPERATOR_PERMIT } from '#sharing';
import { DiskBlobStore } from '../blobs/disk-blob-store';
import { storageOn } from '../storage-on';
import { parsePath } from './node-path';
import { userView } from './tree-view';

describe('a file with an unconfirmed commit', () => {
  let test: TestDatabase;
  let tap: DatabaseTap;
  let tapped: Database;
  const directory = mkdtempSync(join(tmpdir(), 'drawbridge-uncertain-'));

  beforeAll(async () => {
    test = await createTestDatabase();
    tap = await DatabaseTap.open(test.url);
    tapped = await Database.connect({ url: tap.url, poolSize: 3, applicationName: 'uncertain commits' });
    await administrationOn(test.database, { COMPATIBILITY: 'owncloud10' }).users.create({
      uid: 'alice',
      password: 'a-password',
    });
  });
  afterAll(async () => {
    await tapped?.close();
    await tap?.close();
    await test?.drop();
    rmSync(directory, { recursive: true, force: true });
  });

  it('keeps its content, because the database has it', async () => {
    const config = readConfig({
      DATABASE_URL: test.url,
      DATA_DIR: directory,
      BLOB_STORE: `file:${directory}`,
    });
    const { writer } = await storageOn(tapped, config);
    const put = (path: string) => writer.put(userView('alice'), parsePath(path), Readable.from(['content']));
    await put('/before.txt');
    tap.loseAnswersTo('COMMIT');
    await expect(put('/kept.txt')).rejects.toThrow(/Connection terminated|ECONNRESET/);
    tap.loseAnswersTo(undefined);
    const [row] = await test.database.dataSource.query<{ blob_key: string }[]>(
      `SELECT blob_key FROM node WHERE path = '/kept.txt'`,
    );
    const blobs = await DiskBlobStore.open(directory);
    expect(await text(await blobs.read(row!.blob_key, undefined, OPERATOR_PERMIT))).toBe('content');
    await put('/after.txt');
  });
});
