import { parsePath, ROOT } from '#storage';
import type { DavResponse } from './multistatus-reader';
import { readListing } from './remote-listing';

const URL_OF_ROOT = 'https://cloud.example.org/oc/public.php/webdav/';
const folder = (href: string): DavResponse => ({
  href,
  isFolder: true,
  status: undefined,
  properties: new Map(),
});
const file = (href: string): DavResponse => ({
  href,
  isFolder: false,
  status: undefined,
  properties: new Map(),
});
const pathsOf = async (responses: DavResponse[], path = ROOT, url = URL_OF_ROOT, depth: 0 | 1 = 1) =>
  (await readListing(responses, url, path, depth))?.map((entry) => entry.path);

it.each([
  ['paths', '/oc/public.php/webdav/'],
  ['addresses', 'https://cloud.example.org/oc/public.php/webdav/'],
  ['addresses as a server behind a proxy knows them', 'http://127.0.0.1:8080/oc/public.php/webdav/'],
  ['paths below another root', '/public.php/webdav/'],
  ['paths with other encodings', '/oc/public%2Ephp/webd%61v'],
])('reads a list whose hrefs are %s', async (_what, base) => {
  const child = (name: string): string => `${base.replace(/\/$/, '')}/${name}`;
  expect(await pathsOf([folder(base), file(child('a%20b')), folder(child('%C3%A4/'))])).toEqual([
    '',
    '/a b',
    '/ä',
  ]);
});

it('puts the requested entry first', async () => {
  const root = '/oc/public.php/webdav';
  expect(await pathsOf([file(`${root}/a`), folder(`${root}/`)])).toEqual(['', '/a']);
});

it('reads a folder of the share', async () => {
  const base = '/oc/public.php/webdav/x/y';
  const path = parsePath('/x/y');
  expect(await pathsOf([folder(base), file(`${base}/z`)], path, `${URL_OF_ROOT}x/y`)).toEqual([
    '/x/y',
    '/x/y/z',
  ]);
  // Another root path, but the same folder.
  expect(await pathsOf([folder('/d/x/y'), file('/d/x/y/z')], path, `${URL_OF_ROOT}x/y`)).toEqual([
    '/x/y',
    '/x/y/z',
  ]);
  expect(await pathsOf([folder('/d/other'), file('/d/other/z')], path, `${URL_OF_ROOT}x/y`)).toBeUndefined();
});

it('leaves out entries from other folders, repeated entries, and impossible names', async () => {
  const root = '/oc/public.php/webdav';
  const odd = ['a/b', '..%2Fx', '%2E%2E', '%00', '%FF', 'n'.repeat(256), ''].map((name) =>
    file(`${root}/${name}`),
  );
  const others = [
    file('/oc/public.php/a'),
    file('/elsewhere'),
    file(''),
    file(`${root}/once`),
    folder(`${root}/once/`),
  ];
  const entries = await readListing([folder(root), ...odd, ...others], URL_OF_ROOT, ROOT, 1);
  expect(entries).toMatchObject([{ path: '' }, { path: '/once', kind: 'file' }]);
});

it('has nothing below a file, nor at depth 0', async () => {
  const root = '/oc/public.php/webdav';
  expect(await pathsOf([file(root), file(`${root}/a`)])).toEqual(['']);
  expect(await pathsOf([folder(root), file(`${root}/a`)], ROOT, URL_OF_ROOT, 0)).toEqual(['']);
});

it('fails without the requested entry', async () => {
  expect(await pathsOf([])).toBeUndefined();
  expect(await pathsOf([folder('/%FF')], parsePath('/x'), `${URL_OF_ROOT}x`)).toBeUndefined();
});

it('lets other work run while it reads a long list', async () => {
  const root = '/oc/public.php/webdav';
  const many = Array.from({ length: 5_000 }, (_one, at) => file(`${root}/${at}`));
  let turns = 0;
  const count = (): void => {
    turns += 1;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  expect(await pathsOf([folder(root), ...many])).toHaveLength(5_001);
  clearImmediate(timer);
  expect(turns).toBeGreaterThanOrEqual(8);
});
