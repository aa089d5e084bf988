import { readContentHead } from './content-answer';

const headOf = (headers: Record<string, string>) =>
  readContentHead(
    'partner.example',
    { status: 200, headers: { 'content-length': '5', ...headers } },
    undefined,
    () => Promise.resolve(5),
  );

describe('the ETag of a content', () => {
  it.each([
    ['a strong one', { etag: '"abc"' }, 'abc'],
    ['that of ownCloud’s own header', { 'oc-etag': '"abc"' }, 'abc'],
    ['none', {}, null],
    // It does not say that the bytes are the same.
    ['no weak one', { etag: 'W/"abc"' }, null],
  ])('is %s', async (_name, headers, etag) => {
    expect(await headOf(headers)).toMatchObject({ etag, size: 5 });
  });
});

it.each([
  ['the same second', 'Mon, 30 Nov 2026 12:00:05 GMT', 'Mon, 30 Nov 2026 12:00:05 GMT', true],
  ['the second before', 'Mon, 30 Nov 2026 12:00:04 GMT', 'Mon, 30 Nov 2026 12:00:05 GMT', false],
  [
    'a later second, by a wrong clock',
    'Mon, 30 Nov 2026 12:00:09 GMT',
    'Mon, 30 Nov 2026 12:00:05 GMT',
    true,
  ],
])('a content of %s can change under its ETag: %s', async (_name, changed, date, mayChangeUnseen) => {
  const head = { etag: '"abc"', 'last-modified': changed, date };
  expect(await headOf(head)).toMatchObject({ etag: 'abc', mayChangeUnseen });
});

describe('a part of a content', () => {
  const partOf = (contentRange: string, start: number, end: number) =>
    readContentHead(
      'partner.example',
      { status: 206, headers: { 'content-range': contentRange } },
      { start, end },
      () => Promise.reject(new Error('the size is in the header')),
    );

  it('is the asked one if the partner sends more behind it', async () => {
    // sabre/dav, and so ownCloud, answers `bytes=0-0` with the whole file.
    expect(await partOf('bytes 0-2/3', 0, 0)).toMatchObject({
      size: 3,
      range: { start: 0, end: 0 },
      cut: { skip: 0, length: 1, isAll: false },
    });
  });

  it('ends with the file', async () => {
    expect(await partOf('bytes 1-2/3', 1, 9)).toMatchObject({
      range: { start: 1, end: 2 },
      cut: { skip: 0, length: 2, isAll: true },
    });
  });

  it.each([
    ['a later begin', 'bytes 1-2/3', 0, 0],
    ['an earlier end', 'bytes 0-0/3', 0, 1],
    ['an end behind the file', 'bytes 0-3/3', 0, 2],
  ])('is not one with %s', async (_name, header, start, end) => {
    await expect(partOf(header, start, end)).rejects.toMatchObject({ code: 'not-understood' });
  });
});
