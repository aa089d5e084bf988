import { readReturnAddress } from './return-address';

describe('the next address of a browser after the sign-in', () => {
  it.each([
    ['/web/files', '/web/files'],
    ['/f/12?x=1#part', '/f/12?x=1'],
    ['/web/../web/files', '/web/files'],
  ])('is one of this instance: %s', (given, read) => {
    expect(readReturnAddress(given)).toBe(read);
  });

  it.each([
    '//evil.example/web',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    'https://evil.example/',
    'javascript:alert(1)',
    'web/files',
    '',
    `/${'a'.repeat(3000)}`,
    '/x/..//evil.example',
    undefined,
    ['/web'],
  ])('is refused if it leads to another server: %j', (given) => {
    expect(readReturnAddress(given)).toBeUndefined();
  });
});
