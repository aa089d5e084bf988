import {
  parseChecksum,
  parseDestination,
  parseListingDepth,
  parseMtime,
  parseOverwrite,
  parseTreeDepth,
} from './dav-headers';

it('reads Depth', () => {
  expect([parseListingDepth('0'), parseListingDepth('1'), parseListingDepth(undefined)]).toEqual([0, 1, 1]);
  expect([parseTreeDepth('0'), parseTreeDepth('Infinity'), parseTreeDepth(undefined)]).toEqual([
    0,
    'infinity',
    'infinity',
  ]);
  expect(parseListingDepth('infinity')).toBe('infinity');
  expect(() => parseTreeDepth('1')).toThrow(expect.objectContaining({ code: 'bad-request' }));
  expect(() => parseListingDepth('-1')).toThrow(expect.objectContaining({ code: 'bad-request' }));
});

it('reads Overwrite', () => {
  expect([parseOverwrite(undefined), parseOverwrite('T'), parseOverwrite('f')]).toEqual([true, true, false]);
  expect(() => parseOverwrite('yes')).toThrow(expect.objectContaining({ code: 'bad-request' }));
});

it('reads Destination, and ignores its host', () => {
  expect(parseDestination('https://cloud.example.org/remote.php/webdav/a%20b').path).toBe('/a b');
  expect(parseDestination('/remote.php/dav/files/alice/x').tree).toEqual({ of: 'user', uid: 'alice' });
  const bytes = Buffer.from('/remote.php/webdav/größe').toString('latin1');
  expect(parseDestination(bytes).path).toBe('/größe');
  expect(parseDestination('/remote.php/webdav/gr%C3%B6%C3%9Fe').path).toBe('/größe');
  for (const header of [
    undefined,
    '',
    '/remote.php/webdav/gr\u00f6\u00dfe',
    '/remote.php/webdav/gr%F6%DFe',
    'a/b',
    'ftp://x/remote.php/webdav/a',
    '/remote.php/webdav/a?b',
    'https://x',
  ]) {
    expect(() => parseDestination(header)).toThrow(expect.objectContaining({ code: 'bad-request' }));
  }
  for (const header of ['/', '/path/to/destination', 'https://x/y', '/remote.php/dav/uploads/alice/x'])
    expect(() => parseDestination(header)).toThrow(expect.objectContaining({ code: 'forbidden' }));
});

it('reads X-OC-Mtime', () => {
  expect(parseMtime(undefined)).toBeUndefined();
  expect(parseMtime('1000000000')).toEqual(new Date(1_000_000_000_000));
  expect(parseMtime('1000000000.75')).toEqual(new Date(1_000_000_000_000));
  expect(parseMtime('-86400')).toEqual(new Date('1969-12-31T00:00:00Z'));
  for (const header of ['', '--1', '-99999999999', '1e9', 'now', '1'.repeat(12)]) {
    expect(() => parseMtime(header)).toThrow(expect.objectContaining({ code: 'bad-request' }));
  }
});

it('reads OC-Checksum', () => {
  expect(parseChecksum('SHA1:ABCDEF')).toEqual({ algorithm: 'sha1', digest: 'abcdef' });
  expect(parseChecksum('SHA3-256:1 MD5:00')).toEqual({ algorithm: 'md5', digest: '00' });
  expect(parseChecksum('Adler32:8AE9096')).toEqual({ algorithm: 'adler32', digest: '08ae9096' });
  expect([parseChecksum(undefined), parseChecksum('SHA3-256:1'), parseChecksum('nonsense')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
