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
