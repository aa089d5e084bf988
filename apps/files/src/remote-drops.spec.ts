import { RuntimeSettings } from '#settings';
import { FakeRemoteFiles } from '../../../libs/testing/src/fakes/fake-remote-files';
import { FilesApp } from '../../../libs/testing/src/rigs/files-app';
import { eventually } from '../../../libs/testing/src/waiting';

let files: FilesApp;
const partner = new FakeRemoteFiles();
let run = 0;
let brian: string;
let there: string;

beforeAll(async () => {
  files = await FilesApp.start(partner);
});
afterAll(() => files.stop());
beforeEach(async () => {
  run++;
  [brian, there] = [`brian${run}`, `share-${run}`];
  await files.addUsers(brian);
  partner.set(there, '/theirs.txt', 'of alice');
  partner.permissions = 4;
  await files.receive({ providerId: there, recipient: brian, target: '/Drop' });
  expect(await look()).toEqual(['/Drop/']);
});
afterEach(async () => {
  await files.get(RuntimeSettings).set('files', 'partner_writes_at_once_megabytes', '8');
});

const call = async (method: string, path: string, body?: string): Promise<number> =>
  (await files.dav(method, brian, path, body === undefined ? {} : { body })).status;
const transfer = async (method: 'MOVE' | 'COPY', from: string, to: string): Promise<number> =>
  (await files.transfer(method, brian, from, to)).status;

/** Lists the share, as clients do at any time; the partner shows no entries of it. */
async function look(): Promise<string[]> {
  const reply = await files.dav('PROPFIND', brian, '/Drop', { headers: { depth: '1' } });
  return [...(await reply.text()).matchAll(/<d:href>\/remote.php\/webdav(.*?)<\/d:href>/g)].map(
    (match) => match[1]!,
  );
}

describe('a share of a partner that only takes files', () => {
  it('takes files into folders that were made there, after it was listed', async () => {
    expect(await call('MKCOL', '/Drop/made')).toBe(201);
    expect(await look()).toEqual(['/Drop/']);
    expect(await call('MKCOL', '/Drop/made/deeper')).toBe(201);
    expect(await look()).toEqual(['/Drop/']);
    expect(await call('PUT', '/Drop/made/deeper/one.txt', 'one')).toBe(201);
    expect(await look()).toEqual(['/Drop/']);
    expect(partner.content(there, '/made/deeper/one.txt')).toBe('one');
    expect(await call('GET', '/Drop/made/deeper/one.txt')).toBe(404);
  });

  it('takes no files into folders that are not there', async () => {
    expect(await call('PUT', '/Drop/none/one.txt', 'one')).toBe(409);
    expect(await call('MKCOL', '/Drop/none/deeper')).toBe(409);
    expect(partner.paths(there)).toEqual(['/theirs.txt']);
  });

  it('takes no files below a file, and none while its owner lets it only be read', async () => {
    expect(await call('PUT', '/Drop/theirs.txt/one.txt', 'one')).toBe(409);
    partner.permissions = 1;
    await look();
    expect(await call('PUT', '/Drop/none/one.txt', 'one')).toBe(409);
    expect(partner.calls.filter((each) => each.startsWith(`write ${there} /none`))).toEqual([]);
  });

  it.each(['COPY', 'MOVE'] as const)('takes a whole folder by %s', async (method) => {
    for (const folder of ['/dir', '/dir/sub']) await call('MKCOL', folder);
    for (const file of ['/dir/a.txt', '/dir/sub/b.txt']) await call('PUT', file, file);
    expect(await transfer(method, '/dir', '/Drop/dir')).toBe(201);
    expect(partner.paths(there)).toEqual([
      ...['/dir', '/dir/a.txt', '/dir/sub', '/dir/sub/b.txt'],
      '/theirs.txt',
    ]);
    expect(await call('GET', '/dir/a.txt')).toBe(method === 'COPY' ? 200 : 404);
  });

  it('takes a folder while it is listed', async () => {
    for (const folder of ['/dir', '/dir/sub']) await call('MKCOL', folder);
    await call('PUT', '/dir/sub/b.txt', 'b');
    const go = partner.holdNext('write');
    const moved = transfer('MOVE', '/dir', '/Drop/dir');
    await eventually('the write', () =>
      Promise.resolve(partner.calls.includes(`write ${there} /dir/sub/b.txt`)),
    );
    await look();
    go();
    expect(await moved).toBe(201);
    expect(partner.content(there, '/dir/sub/b.txt')).toBe('b');
  });

  it('takes large files into folders that were made there, after it was listed, and into no others', async () => {
    await files.get(RuntimeSettings).set('files', 'partner_writes_at_once_megabytes', '0');
    await call('MKCOL', '/Drop/made');
    await look();
    expect(await call('PUT', '/Drop/none/large.txt', 'large')).toBe(409);
    expect(await call('PUT', '/Drop/made/large.txt', 'large')).toBe(201);
    expect(partner.content(there, '/made/large.txt')).toBe('large');
  });

  it('gets a large file that waited, although its folder is not listed', async () => {
    await files.get(RuntimeSettings).set('files', 'partner_writes_at_once_megabytes', '0');
    await call('MKCOL', '/Drop/made');
    expect(await call('PUT', '/Drop/made/large.txt', 'large')).toBe(201);
    await look();
    await eventually('the delivery', () =>
      Promise.resolve(partner.content(there, '/made/large.txt') === 'large'),
    );
  });
});
