import { RuntimeSettings } from '#settings';
import { openBlobStore, type BlobStore } from '#storage';
import { readConfig } from '#platform';
import { EICAR, startClamd, type TestClamd } from '../../libs/testing/src/rigs/clamd';
import { FilesApp } from '../../libs/testing/src/rigs/files-app';
import { startS3Server, type S3Server } from '../../libs/testing/src/rigs/s3-server';
import { describeWith } from '../clients/programs';
import { OF_OTHERS, OF_USERS } from './upload-routes';

const CLEAN = 'a file in which there is nothing';
const ROUTES = { ...OF_USERS, ...OF_OTHERS };

describeWith(['clamd'], 'uploads that are scanned before they go to a bucket', () => {
  let clamd: TestClamd;
  let s3: S3Server;
  let store: BlobStore;
  let files: FilesApp;
  let tests = 0;

  beforeAll(async () => {
    [clamd, s3] = await Promise.all([startClamd(), startS3Server()]);
    const environment = {
      BLOB_STORE: `s3://${s3.bucket}/files`,
      S3_ENDPOINT: s3.endpoint,
      S3_ACCESS_KEY_ID: s3.accessKeyId,
      S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    };
    store = await openBlobStore(readConfig(environment));
    files = await FilesApp.start(undefined, undefined, { ...environment, SCANNER: clamd.address });
    await files.get(RuntimeSettings).set('files_antivirus', 'scan_uploads_of', 'everybody');
  });
  afterAll(async () => {
    await files?.stop();
    await s3?.close();
    await clamd?.stop();
  });

  const objects = async (): Promise<string[]> => {
    const keys: string[] = [];
    for await (const { blobKey } of store.list()) keys.push(blobKey);
    return keys.sort();
  };

  it.each(Object.keys(ROUTES))('leave no object after a finding is refused: %s', async (name) => {
    const uid = `alice${++tests}`;
    await files.addUsers(uid);
    await files.dav('MKCOL', uid, '/folder');
    const [upload, target, before] = [ROUTES[name]!, { files, uid }, await objects()];

    expect((await upload(target, '/bad.txt', `an infected file: ${EICAR}`)).status).toBe(403);
    expect((await files.dav('GET', uid, '/folder/bad.txt')).status).toBe(404);
    expect(await objects()).toEqual(before);

    expect((await upload(target, '/good.txt', CLEAN)).status).toBeLessThan(300);
    expect(await (await files.dav('GET', uid, '/folder/good.txt')).text()).toBe(CLEAN);
    expect(await objects()).toHaveLength(before.length + 1);
  });
});
