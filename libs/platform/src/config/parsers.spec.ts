import fc from 'fast-check';
import { ConfigError } from './config-error';
import * as parse from './parsers';
import { readValue } from './read-config';

const read = <T>(parser: parse.Parser<T>, raw: string, name = 'NAME', secret = false): T =>
  readValue(name, { parse: parser, secret }, raw);

type Rows = readonly (readonly [raw: string, value: unknown])[];

function describeParser(
  name: string,
  parser: parse.Parser<unknown>,
  accepted: Rows,
  refused: readonly string[],
): void {
  describe(name, () => {
    it.each(accepted)('reads %j as %j', (raw, value) => {
      expect(read(parser, raw)).toEqual(value);
    });

    it.each(refused)('refuses %j in one sentence that names the variable', (raw) => {
      expect(() => read(parser, raw)).toThrow(ConfigError);
      expect(() => read(parser, raw)).toThrow(/^NAME is '.*', but must be .+\.$/s);
    });
  });
}

describeParser(
  'a whole number',
  parse.integer(1, 100),
  [
    ['1', 1],
    ['100', 100],
    ['007', 7],
  ],
  ['0', '101', '-1', '1.5', '1e1', 'ten', '', ' 1', '9'.repeat(30)],
);

describeParser('a choice', parse.oneOf('a', 'b'), [['b', 'b']], ['', 'c', 'A', 'a,b']);

describeParser(
  'a flag',
  parse.flag,
  [
    ['true', true],
    ['false', false],
  ],
  ['yes', '1', 'TRUE', ''],
);

describeParser(
  'a duration',
  parse.duration(10, 86_400_000),
  [
    ['10ms', 10],
    ['4s', 4000],
    ['10m', 600_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
  ],
  ['4', '9ms', '2d', '4 s', '-4s', '1.5s', '4S', 's', ''],
);

describeParser(
  'a size',
  parse.byteSize(1024),
  [
    ['1024B', 1024],
    ['1KB', 1024],
    ['5GB', 5 * 1024 ** 3],
    ['2TB', 2 * 1024 ** 4],
  ],
  ['1023B', '64', '64mb', '-1MB', '1.5MB', 'MB', ''],
);

describeParser(
  'an address',
  parse.webAddress,
  [
    ['https://cloud.example.org', 'https://cloud.example.org'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['https://example.org/cloud', 'https://example.org/cloud'],
  ],
  [
    'cloud.example.org',
    'ftp://example.org',
    'https://example.org/',
    'https://example.org?a',
    'https://example.org#a',
    'https://user@example.org',
    'https://',
    '',
  ],
);

describeParser(
  'a database address',
  parse.postgresAddress,
  [
    ['postgres://a:b@host/db', 'postgres://a:b@host/db'],
    ['postgresql://host', 'postgresql://host'],
    ['postgres://a:b%23c@[::1]:5432/db?sslmode=require', 'postgres://a:b%23c@[::1]:5432/db?sslmode=require'],
    ['postgres://a:b@/db?host=/run/postgresql', 'postgres://a:b@/db?host=/run/postgresql'],
    ['postgres:///db', 'postgres:///db'],
  ],
  [
    ...['mysql://host', 'postgres://', 'host', ''],
    ...['postgres://a:b#c@host/db', 'postgres://a:1#c@host/db', 'postgres://a:b/c@host/db'],
    ...['postgres://a:b%zz@host/db', 'postgres://a:b%@host/db', 'postgres://a:b@host:70000/db'],
  ],
);

describeParser(
  'the address of Redis',
  parse.redisAddress,
  [
    ['redis://host', 'redis://host'],
    ['rediss://user:b%23c@[::1]:6379/12', 'rediss://user:b%23c@[::1]:6379/12'],
    ['redis://:secret@host/', 'redis://:secret@host/'],
  ],
  [
    ...['http://host', 'redis://', 'host', '', 'redis://host/abc', 'redis://host/1/2', 'redis://host:70000'],
    ...['redis://:1#c@host', 'redis://:b/c@host', 'redis://:b%zz@host'],
  ],
);

describeParser(
  'a blob store',
  parse.blobStoreAddress,
  [
    ['file:/srv/blobs', { in: 'directory', path: '/srv/blobs' }],
    ['s3://content', { in: 'bucket', bucket: 'content', prefix: '' }],
    ['s3://content/one/drawbridge/', { in: 'bucket', bucket: 'content', prefix: 'one/drawbridge' }],
  ],
  ['file:', '/srv', 's3://b', 's3://Content', 's3://content//a', 's3://content/a b', 's3://user:key@content'],
);

describe('a database address that is refused', () => {
  it('does not show its password', () => {
    expect(() => read(parse.postgresAddress, 'mysql://user:s3cret@host/db', 'DATABASE_URL')).toThrow(
      "'mysql://user:***@host/db'",
    );
  });
});

describe('a refused secret', () => {
  it.each([
    ['s3cret', '***'],
    ['user:s3cret@host/db', '***'],
    ['mysql://s3cret@host/db', 'mysql://***@host/db'],
    ['mysql://user:s3:cr@et@host/db', 'mysql://user:***@host/db'],
  ])('%s is shown as %s', (raw, shown) => {
    expect(() => read(parse.postgresAddress, raw, 'DATABASE_URL', true)).toThrow(
      `DATABASE_URL is '${shown}', but`,
    );
  });
});

describe('a list of ranges', () => {
  const shown = (raw: string): string[] =>
    read(parse.cidrList, raw).map(([address, bits]) => `${address.toString()}/${bits}`);

  it.each([
    ['', []],
    ['10.0.0.0/8', ['10.0.0.0/8']],
    ['127.0.0.1, ::1', ['127.0.0.1/32', '::1/128']],
    ['fd00::/8,', ['fd00::/8']],
  ])('reads %j', (raw, ranges) => {
    expect(shown(raw)).toEqual(ranges);
  });

  it.each([
    ...['localhost', '10.0.0.0/33', '10.0.0.0/-1', '300.1.1.1', '10.0.0.0/8;::1', '::1/129'],
    ...['10/8', '10.1', '172.16', '1.2.3', '167772161', '010.0.0.1', '0x0a.0.0.1', '10.1/16'],
  ])('refuses %j', (raw) => {
    expect(() => read(parse.cidrList, raw)).toThrow(ConfigError);
  });
});

describe('a parser with any value', () => {
  const parsers: readonly parse.Parser<unknown>[] = [
    ...[parse.integer(0, 10), parse.oneOf('a'), parse.flag, parse.duration(0, 1000), parse.byteSize(0)],
    ...[parse.cidrList, parse.webAddress, parse.postgresAddress, parse.blobStoreAddress],
  ];

  it('is read, or refused with a ConfigError that stays short', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 300 }),
        fc.constantFrom(...parsers),
        (raw, parser) => {
          try {
            read(parser, raw);
          } catch (error) {
            expect(error).toBeInstanceOf(ConfigError);
            expect((error as Error).message.length).toBeLessThan(300);
          }
        },
      ),
    );
  });
});

describe('headers for a collector', () => {
  it.each([
    ['', {}],
    ['x-key=abc', { 'x-key': 'abc' }],
    ['authorization=Bearer%20a%3D, x-other=1', { authorization: 'Bearer a=', 'x-other': '1' }],
  ])('%j', (raw, headers) => {
    expect(read(parse.headerList, raw)).toEqual(headers);
  });

  it.each(['hush', '=hush', 'a b=hush', 'x-key=hush%0d%0ax', 'x-key=hush hush', 'x-key=hush%'])(
    'refuses %j without repeating it',
    (raw) => {
      expect(() => read(parse.headerList, raw, 'SPEC', true)).toThrow(/^SPEC is '\*\*\*'/);
    },
  );
});

describe('a ratio', () => {
  it.each([
    ['0', 0],
    ['1', 1],
    ['0.05', 0.05],
    ['1.0', 1],
  ])('%s', (raw, ratio) => {
    expect(read(parse.ratio, raw)).toBe(ratio);
  });
  it.each(['1.1', '-0', '.5', '1e-3', '', '0,5', 'NaN'])('refuses %j', (raw) => {
    expect(() => read(parse.ratio, raw)).toThrow('a number from 0 to 1');
  });
});

describeParser(
  'the address of a scanner',
  parse.scannerAddress,
  [
    ['clamd://clamd.example.org', { speaks: 'clamd', at: { host: 'clamd.example.org', port: 3310 } }],
    ['clamd://127.0.0.1:3311', { speaks: 'clamd', at: { host: '127.0.0.1', port: 3311 } }],
    ['clamd://[::1]:3311', { speaks: 'clamd', at: { host: '::1', port: 3311 } }],
    ['clamd:/run/clamav/clamd.ctl', { speaks: 'clamd', at: { path: '/run/clamav/clamd.ctl' } }],
    ['clamd:///run/clamav/clamd.ctl', { speaks: 'clamd', at: { path: '/run/clamav/clamd.ctl' } }],
    [
      'icap://icap.example.org/avscan?mode=simple',
      {
        speaks: 'icap',
        at: { host: 'icap.example.org', port: 1344 },
        address: 'icap://icap.example.org:1344/avscan?mode=simple',
      },
    ],
  ],
  [
    '',
    'clamd',
    'clamd:',
    'clamd:run/clamd.ctl',
    'clamd://',
    'clamd://host/path',
    'clamd://user@host',
    'http://host:1344/avscan',
    'icap://host',
    'icap://host/',
    'icap://host/a b',
    'icap://host/a\r\nHost: b',
    'icap://user:secret@host/avscan',
  ],
);

describeParser(
  'a list of sentinels',
  parse.sentinelList,
  [
    ['s1.example.org', [{ host: 's1.example.org', port: 26_379 }]],
    [
      '10.0.0.1:5000, redis_sentinel-2:26379',
      [
        { host: '10.0.0.1', port: 5000 },
        { host: 'redis_sentinel-2', port: 26_379 },
      ],
    ],
    ['[fd00::1]:26379', [{ host: 'fd00::1', port: 26_379 }]],
  ],
  [
    '',
    ',',
    's1,',
    's1:',
    's1:0',
    's1:65536',
    's1:26379/0',
    'redis://s1:26379',
    'fd00::1',
    's1 s2',
    Array.from({ length: 11 }, (_, number) => `s${number}`).join(','),
  ],
);

it('a password beside a sentinel is not shown', () => {
  for (const raw of ['user:hush@s1:26379', ':hush@s1,s2', 'redis://:hush@s1']) {
    expect(() => read(parse.sentinelList, raw)).toThrow(ConfigError);
    expect(() => read(parse.sentinelList, raw)).not.toThrow('hush');
  }
});

describeParser(
  'the name of a master',
  parse.sentinelMaster,
  [['my-master_1.a', 'my-master_1.a']],
  ['', 'my master', 'master/0', 'a'.repeat(129)],
);
