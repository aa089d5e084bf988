import { parseLockInfo, parseLockTimeout, parseLockToken } from './lock-request';

const info = (inside: string): string =>
  `<?xml version="1.0"?><d:lockinfo xmlns:d="DAV:">${inside}</d:lockinfo>`;
const EXCLUSIVE = '<d:lockscope><d:exclusive/></d:lockscope>';
const WRITE = '<d:locktype><d:write/></d:locktype>';
const refused = expect.objectContaining({ code: 'bad-request' });

describe('the body of a LOCK', () => {
  it('has scope and owner; an empty one refreshes', () => {
    expect(parseLockInfo(info(EXCLUSIVE))).toEqual({ isExclusive: true, ownerXml: null });
    expect(parseLockInfo(info(EXCLUSIVE + WRITE))).toEqual({ isExclusive: true, ownerXml: null });
    expect(
      parseLockInfo(
        info(
          `<d:lockscope><d:shared/></d:lockscope>${WRITE}<d:owner><d:href>mailto:a&amp;b</d:href></d:owner>`,
        ),
      ),
    ).toEqual({ isExclusive: false, ownerXml: '<d:href>mailto:a&amp;b</d:href>' });
    expect(
      parseLockInfo(info(`${EXCLUSIVE}${WRITE}<d:owner>Alice <d:href>mailto:a</d:href></d:owner>`))?.ownerXml,
    ).toBe('Alice <d:href>mailto:a</d:href>');
    expect(parseLockInfo(info(`${EXCLUSIVE}${WRITE}<d:owner>Alice &lt;3</d:owner>`))?.ownerXml).toBe(
      'Alice &lt;3',
    );
    expect(parseLockInfo(' ')).toBeUndefined();
  });

  it.each([
    'x',
    '<a/>',
    info(''),
    info(`${EXCLUSIVE}<d:locktype><d:read/></d:locktype>`),
    info(WRITE),
    info(`<d:lockscope><d:exclusive/><d:shared/></d:lockscope>${WRITE}`),
    info(`${EXCLUSIVE}${WRITE}<d:owner>${'x'.repeat(4097)}</d:owner>`),
  ])('is refused if it requests an unknown kind of lock (%#)', (body) => {
    expect(() => parseLockInfo(body)).toThrow(refused);
  });
});

describe('the Timeout of a LOCK', () => {
  const times = { defaultSeconds: 1800, maxSeconds: 86_400 };

  it.each([
    [undefined, 1800],
    ['Second-60', 60],
    ['Infinite', 86_400],
    ['Infinite, Second-4100000000', 86_400],
    ['Second-99999999', 86_400],
    ['Extended, Second-300', 300],
    ['second--1', 86_400],
    ['second-0', 1800],
    ['nonsense', 1800],
    ['Second-99999999999999999999999', 1800],
  ])('%s is read as seconds', (header, expected) => {
    expect(parseLockTimeout(header, times)).toBe(expected);
  });

  it('is never above the maximum, not even by default', () => {
    expect(parseLockTimeout(undefined, { defaultSeconds: 9999, maxSeconds: 60 })).toBe(60);
  });
});

describe('a Lock-Token', () => {
  it('is one address, with or without angle brackets', () => {
    expect(parseLockToken('<opaquelocktoken:x>')).toBe('opaquelocktoken:x');
    expect(parseLockToken('opaquelocktoken:x')).toBe('opaquelocktoken:x');
    for (const header of [undefined, '', '<a> <b>', '<>', '<a', 'a b'])
      expect(() => parseLockToken(header)).toThrow(refused);
  });
});
