import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { parsePath, ROOT } from '#storage';
import type { DavPartnerOptions } from '#testing';
import { PartnerFilesStage } from '../../../../testing/src/rigs/partner-files-stage';
import type { PartnerFiles } from './partner-files';

const path = parsePath;
const from = (content: string): Readable => Readable.from([Buffer.from(content)]);

let stage: PartnerFilesStage;
let files: PartnerFiles;
beforeAll(async () => void (stage = await PartnerFilesStage.start()));
beforeEach(() => void (files = stage.files()));
afterEach(() => stage.clear());
afterAll(() => stage.end());

describe.each<[string, DavPartnerOptions]>([
  ['ownCloud', { flavour: 'owncloud' }],
  ['ownCloud in a folder', { flavour: 'owncloud', folder: '/owncloud' }],
  ['OpenCloud', { flavour: 'opencloud' }],
  ['reva', { flavour: 'reva' }],
  ['a reva that takes the secret as user name only', { flavour: 'reva', takes: ['Basic'] }],
  ['a partner that wants secrets exchanged', { flavour: 'reva', exchange: 'required' }],
])('a share of %s', (_name, options) => {
  const requirements = options.exchange === 'required' ? ['must-exchange-token'] : [];

  it('is listed, read and written', async () => {
    const { offered, share } = await stage.share(options, { requirements });
    const mtime = new Date('2026-03-04T05:06:07Z');
    offered.tree.folder('/sub folder');
    offered.tree.file('/sub folder/ä#%?.txt', 'hello', mtime);
    offered.permissions = 15;

    const [root, sub] = await files.probe(share, ROOT, 1);
    expect(root).toMatchObject({ path: '', kind: 'folder', permissions: 15 });
    expect(sub).toMatchObject({ path: '/sub folder', kind: 'folder', mimetype: null });
    const [folder, file] = await files.probe(share, path('/sub folder'), 1);
    expect(folder).toEqual(sub);
    const etag = offered.tree.get('/sub folder/ä#%?.txt')!.etag;
    const about = {
      path: '/sub folder/ä#%?.txt',
      kind: 'file',
      size: 5,
      mtime,
      etag,
      mimetype: 'text/plain',
    };
    expect(file).toEqual({ ...about, permissions: 15 });
    expect(await files.probe(share, file!.path, 0)).toEqual([file]);

    const content = await files.read(share, file!.path);
    expect(content).toMatchObject({ size: 5, range: undefined, etag, mtime });
    expect(await text(content.body)).toBe('hello');

    const written = await files.write(share, path('/new.txt'), from('fresh'), { size: 5, mtime });
    expect(written).toEqual({ created: true, etag: offered.tree.get('/new.txt')!.etag });
    expect(offered.tree.textOf('/new.txt')).toBe('fresh');
    expect(offered.tree.get('/new.txt')!.mtime).toEqual(mtime);
    await files.makeFolder(share, path('/made'));
    await files.move(share, path('/new.txt'), path('/made/ö 1.txt'), false);
    expect(offered.tree.textOf('/made/ö 1.txt')).toBe('fresh');
    const ancient = { size: 1, mtime: new Date('1960-01-01') };
    await files.write(share, path('/made/old.txt'), from('x'), ancient);
    expect(offered.tree.get('/made/old.txt')!.mtime.getTime()).toBeGreaterThan(0);
    await files.remove(share, path('/sub folder'));
    expect(offered.tree.childrenOf('')).toEqual(['/made']);
  });

  it('can be a single file', async () => {
    const { offered, share } = await stage.share(options, { requirements });
    offered.tree.file('', 'alone');
    expect(await files.probe(share, ROOT, 1)).toMatchObject([{ path: '', kind: 'file', size: 5 }]);
    expect(await text((await files.read(share, ROOT)).body)).toBe('alone');
    expect(await files.write(share, ROOT, from('longer than before'))).toMatchObject({ created: false });
    expect(offered.tree.textOf('')).toBe('longer than before');
  });
});

it('can have a single file below the root, as on newer partners', async () => {
  const { offered, share, partner } = await stage.share({ flavour: 'opencloud' });
  offered.tree.remove('');
  offered.tree.file('/shared', 'below');
  expect(await files.probe(share, ROOT, 0)).toMatchObject([{ path: '', kind: 'file', size: 5 }]);
  expect(await text((await files.read(share, ROOT)).body)).toBe('below');
  offered.tree.remove('/shared');
  await expect(files.probe(share, ROOT, 0)).rejects.toMatchObject({ code: 'missing' });
  expect(partner.seen('GET').slice(-2)).toEqual(['GET /dav/ocm/4712', 'GET /dav/ocm/4712/shared']);
});

it.each([undefined, 0])('writes and reads an empty file (announced: %s)', async (size) => {
  const { offered, share } = await stage.share();
  await files.write(share, path('/empty'), Readable.from([]), { size });
  expect(offered.tree.textOf('/empty')).toBe('');
  const content = await files.read(share, path('/empty'));
  expect([content.size, await text(content.body)]).toEqual([0, '']);
});

it.each([2, 10])('refuses a content that is not as long as announced (%i for 5)', async (size) => {
  const { offered, share } = await stage.share();
  const call = files.write(share, path('/a'), from('hello'), { size });
  await expect(call).rejects.toThrow('the content is not as long as announced');
  expect(offered.tree.get('/a')).toBeUndefined();
});

describe('a range', () => {
  it('is requested, and limited to the size of the file', async () => {
    const { offered, share } = await stage.share();
    offered.tree.file('/a', '0123456789');
    const part = await files.read(share, path('/a'), { start: 7, end: 99 });
    expect(part).toMatchObject({ size: 10, range: { start: 7, end: 9 } });
    expect(await text(part.body)).toBe('789');
    const middle = await files.read(share, path('/a'), { start: 2, end: 4 });
    expect(await text(middle.body)).toBe('234');
    await expect(files.read(share, path('/a'), { start: 10, end: 12 })).rejects.toMatchObject({
      code: 'precondition-failed',
    });
  });

  it('is cut out of the whole file if the partner sends all of it', async () => {
    const { offered, share, partner } = await stage.share();
    offered.tree.file('/a', '0123456789');
    partner.misbehave('all for a range');
    const part = await files.read(share, path('/a'), { start: 2, end: 4 });
    expect(part).toMatchObject({ size: 10, range: { start: 2, end: 4 } });
    expect(await text(part.body)).toBe('234');
  });
});

describe('the condition of a write', () => {
  it('is sent to the partner', async () => {
    const { offered, share } = await stage.share();
    await files.write(share, path('/a'), from('one'), { expects: null });
    await expect(files.write(share, path('/a'), from('two'), { expects: null })).rejects.toMatchObject({
      code: 'precondition-failed',
    });
    const etag = offered.tree.get('/a')!.etag;
    await files.write(share, path('/a'), from('three'), { expects: etag });
    await expect(files.write(share, path('/a'), from('four'), { expects: etag })).rejects.toMatchObject({
      code: 'precondition-failed',
    });
    expect(offered.tree.textOf('/a')).toBe('three');
  });

  it.each([
    ['a folder in its place', '/folder', 'forbidden'],
    ['no folder to be in', '/none/a', 'conflict'],
  ])('is not met by %s', async (_what, where, code) => {
    const { offered, share } = await stage.share();
    offered.tree.folder('/folder');
    await expect(files.write(share, path(where), from('x'))).rejects.toMatchObject({ code });
  });
});

it('reports why a folder or a move is impossible', async () => {
  const { offered, share } = await stage.share();
  offered.tree.folder('/a');
  offered.tree.file('/b', 'b');
  await expect(files.makeFolder(share, path('/a'))).rejects.toMatchObject({ code: 'exists' });
  await expect(files.makeFolder(share, path('/none/a'))).rejects.toMatchObject({ code: 'conflict' });
  await expect(files.remove(share, path('/none'))).rejects.toMatchObject({ code: 'missing' });
  await expect(files.move(share, path('/b'), path('/a'), false)).rejects.toMatchObject({
    code: 'precondition-failed',
  });
  await files.move(share, path('/b'), path('/a'), true);
  expect(offered.tree.textOf('/a')).toBe('b');
  for (const call of [files.remove(share, ROOT), files.move(share, ROOT, path('/c'), true)])
    await expect(call).rejects.toMatchObject({ code: 'forbidden' });
});

it('remembers the method with which a partner accepts the secret', async () => {
  const { share, partner } = await stage.share({ flavour: 'reva', takes: ['Basic'] });
  const asked = () => partner.requests.filter((one) => one.method === 'PROPFIND').length;
  await files.probe(share, ROOT, 0);
  expect(asked()).toBe(2);
  await files.probe(share, ROOT, 0);
  expect(asked()).toBe(3);
  await files.write(share, path('/a'), from('x'));
  expect(asked()).toBe(3);
});

it('sends nothing to a denied partner, nor to another host', async () => {
  const { share, partner } = await stage.share();
  await stage.test.database.dataSource.query(`UPDATE peer SET trust = 'denied' WHERE id = $1`, [
    share.peerId,
  ]);
  await expect(files.probe(share, ROOT, 0)).rejects.toMatchObject({ code: 'unreachable' });
  expect(partner.requests).toEqual([]);
  const elsewhere = await stage.share({ flavour: 'reva' }, { webdavUri: `${partner.url}/public.php/webdav` });
  await expect(files.probe(elsewhere.share, ROOT, 0)).rejects.toMatchObject({ code: 'not-understood' });
  expect(partner.requests).toEqual([]);
});

it('sends the secret only to the partner', async () => {
  const { share, offered, partner } = await stage.share();
  partner.misbehave(500);
  const failure: unknown = await files.probe(share, ROOT, 0).catch((error: unknown) => error);
  expect(JSON.stringify([failure, String(failure), (failure as Error).stack])).not.toContain(offered.secret);
});
