import { describeEntry, readEtag, readTime } from './dav-properties';

const OC = 'http://owncloud.org/ns';
const PERMISSIONS = 'http://open-collaboration-services.org/ns share-permissions';
const entry = (properties: Record<string, string>, isFolder = false) =>
  describeEntry(new Map(Object.entries(properties)), isFolder);

describe('an entry of a partner', () => {
  it('is described by its properties', () => {
    const properties = {
      'DAV: getetag': '"0c56a4"',
      'DAV: getlastmodified': 'Sat, 21 Nov 2026 15:34:22 GMT',
      'DAV: getcontentlength': '20',
      'DAV: getcontenttype': 'Text/Plain; charset=utf-8',
      [PERMISSIONS]: '19',
    };
    const mtime = new Date('2026-11-21T15:34:22Z');
    const described = {
      kind: 'file',
      size: 20,
      mtime,
      etag: '0c56a4',
      mimetype: 'text/plain',
      permissions: 19,
    };
    expect(entry(properties)).toEqual(described);
    const folder = { ...properties, [`${OC} size`]: '4711' };
    expect(entry(folder, true)).toEqual({ ...described, kind: 'folder', size: 4711, mimetype: null });
  });

  it('has default values for missing and impossible ones', () => {
    const nothing = {
      kind: 'file',
      size: 0,
      mtime: new Date(0),
      etag: '0-0',
      mimetype: null,
      permissions: null,
    };
    expect(entry({})).toEqual(nothing);
    const odd = {
      'DAV: getetag': '"a\r\nb"',
      'DAV: getlastmodified': 'yesterday',
      'DAV: getcontentlength': '-1',
      'DAV: getcontenttype': '<script>',
      [PERMISSIONS]: '32',
    };
    expect(entry(odd)).toEqual(nothing);
  });

  it('derives its etag from its other properties if it has none', () => {
    const etags = ['1', '2'].map((size) => entry({ 'DAV: getcontentlength': size }).etag);
    expect(new Set(etags).size).toBe(2);
  });

  it.each([
    ['', false, 1],
    ['DNVW', false, 11],
    ['RDNVW', false, 27],
    ['', true, 1],
    ['DNVCK', true, 15],
    ['SRDNVCK', true, 31],
    ['CK', true, 5],
    ['<x>', true, null],
  ])('with the letters "%s" (folder: %s) may be used as %s', (letters, isFolder, permissions) => {
    expect(entry({ [`${OC} permissions`]: letters }, isFolder).permissions).toBe(permissions);
    expect(entry({ [`${OC} permissions`]: letters, [PERMISSIONS]: '3' }, isFolder).permissions).toBe(3);
  });
});

it.each([
  ['"abc"', 'abc'],
  ['W/"abc"', 'abc'],
  ['abc', 'abc'],
  ['"a"b"', undefined],
  ['', undefined],
  [`"${'x'.repeat(256)}"`, undefined],
])('the etag %s is read as %s', (header, etag) => expect(readEtag(header)).toBe(etag));

it.each(['', 'x', '1960-01-01T00:00:00Z', '+012345-01-01T00:00:00Z'])('no time is read of "%s"', (text) => {
  expect(readTime(text)).toBeUndefined();
});
