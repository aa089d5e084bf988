import { TreeWriter, UnfinishedUploads, type PutOptions } from '#storage';
import { eventually } from '../../../libs/testing/src';
import { FakeRemoteFiles } from '../../../libs/testing/src/fakes/fake-remote-files';
import { FilesApp } from '../../../libs/testing/src/rigs/files-app';

let files: FilesApp;
const partner = new FakeRemoteFiles();

beforeAll(async () => {
  files = await FilesApp.start(partner);
  await files.addUsers('alice');
  partner.set('there', '/known.txt', 'of a partner');
  await files.receive({ providerId: 'there', recipient: 'alice', target: '/There' });
});
afterAll(() => files.stop());

const send = async (method: string, path: string, headers = {}, body?: string): Promise<Response> =>
  fetch(new URL(path, files.url), {
    method,
    headers: { authorization: files.authorizationOf('alice'), 'tus-resumable': '1.0.0', ...headers },
    ...(body === undefined ? {} : { body }),
  });
const place = (name: string): string => `/remote.php/dav/files/alice/${name}`;

/** Sends all bytes of a file `name` and does not make it a file. @returns the address and the name of its upload */
const PROTOCOLS = {
  chunks: async (name: string) => {
    const address = `/remote.php/dav/uploads/alice/${name}`;
    await send('MKCOL', address);
    await send('PUT', `${address}/1`, {}, 'all of it');
    return { address, upload: name };
  },
  tus: async (name: string) => {
    const metadata = `filename ${Buffer.from(name).toString('base64')}`;
    const headers = { 'upload-length': '10', 'upload-metadata': metadata };
    const address = new URL((await send('POST', place(''), headers)).headers.get('location')!).pathname;
    const bytes = { 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' };
    await send('PATCH', address, bytes, 'all of it');
    return { address, upload: address.slice(address.lastIndexOf('/') + 1) };
  },
};

/** The request that makes the upload a file. */
const FINISH = {
  chunks: (address: string, name: string) =>
    send('MOVE', `${address}/.file`, { destination: files.url + place(name) }),
  tus: (address: string) =>
    send('PATCH', address, { 'upload-offset': '9', 'content-type': 'application/offset+octet-stream' }, '.'),
};

const bytesOfUploads = async (): Promise<number> => {
  const sql = 'SELECT coalesce(sum(received_bytes), 0)::bigint AS bytes FROM upload';
  return (await files.database.dataSource.query<{ bytes: number }[]>(sql))[0]!.bytes;
};
const somebodyWaits = async (): Promise<boolean> => {
  const sql = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
  return (await files.database.dataSource.query<unknown[]>(sql)).length > 0;
};

/** Changes the next write of a file. */
function onNextPut(change: (options: PutOptions) => Promise<PutOptions>): void {
  const writer = files.get(TreeWriter);
  const put = writer.put.bind(writer);
  writer.put = async (view, path, content, options) => {
    writer.put = put;
    return put(view, path, content, await change(options ?? {}));
  };
}

describe.each(['chunks', 'tus'] as const)(
  'an upload by %s that is cancelled while it becomes a file',
  (kind) => {
    it('is finished if that came first, and its sender learns it', async () => {
      const name = `finished-${kind}.txt`;
      const { address } = await PROTOCOLS[kind](name);
      const cancelled: Promise<Response>[] = [];
      onNextPut((options) =>
        Promise.resolve({
          ...options,
          along: async () => {
            cancelled.push(send('DELETE', address));
            await eventually('that the cancel waits', somebodyWaits);
          },
        }),
      );
      expect((await FINISH[kind](address, name)).ok).toBe(true);
      expect((await cancelled[0]!).status).toBe(404);
      expect((await send('GET', place(name))).status).toBe(200);
      expect((await send('DELETE', address)).status).toBe(404);
      expect(await bytesOfUploads()).toBe(0);
    });

    it('is cancelled if that came first, and gives its space back', async () => {
      const stored = files.storedFiles().length;
      const name = `cancelled-${kind}.txt`;
      const { address, upload } = await PROTOCOLS[kind](name);
      onNextPut(async (options) => {
        expect((await send('DELETE', address)).status).toBe(204);
        return options;
      });
      expect([404, 409]).toContain((await FINISH[kind](address, name)).status);
      expect((await send('GET', place(name))).status).toBe(404);
      expect(await files.get(UnfinishedUploads).look({ uid: 'alice' }, upload)).toBeUndefined();
      expect(await bytesOfUploads()).toBe(0);
      expect(files.storedFiles()).toHaveLength(stored);
    });
  },
);

describe('an upload that is cancelled while a partner gets its file', () => {
  async function finish(upload: string, file: string): Promise<number> {
    const { address } = await PROTOCOLS.chunks(upload);
    const go = partner.holdNext('write');
    const moved = FINISH.chunks(address, `There/${file}`);
    await eventually('the write', () => Promise.resolve(partner.calls.includes(`write there /${file}`)));
    expect((await send('DELETE', address)).status).toBe(204);
    go();
    return (await moved).status;
  }

  it('is taken back there', async () => {
    expect(await finish('to-partner', 'new.txt')).toBe(409);
    expect(partner.paths('there')).toEqual(['/known.txt']);
    expect((await send('GET', place('There/new.txt'))).status).toBe(404);
  });

  it('is called finished if the file was overwritten there', async () => {
    expect(await finish('over-partner', 'known.txt')).toBe(204);
    expect(partner.content('there', '/known.txt')).toBe('all of it');
  });
});
