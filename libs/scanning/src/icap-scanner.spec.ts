import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { Readable } from 'node:stream';
import { describeWith } from '../../../test/clients/programs';
import { startIcap, type IcapService, type TestIcap } from '../../testing/src/rigs/c-icap';
import { EICAR, EICAR_FINDING, startClamd, type TestClamd } from '../../testing/src/rigs/clamd';
import { readConfig } from '#platform';
import { scannerOf } from './open-scanner';
import { ScannerFailure, ScannerHungUp, type ScannedContent, type Scanner } from './scanner';

const CHUNK = 64 * 1024;
const contentOf = (text: string) => (): Promise<ScannedContent> => {
  const bytes = Buffer.from(text);
  const chunks = Array.from({ length: Math.ceil(bytes.length / CHUNK) }, (_, index) =>
    bytes.subarray(index * CHUNK, (index + 1) * CHUNK),
  );
  return Promise.resolve({ body: Readable.from(chunks), size: bytes.length, name: 'a name? \r\nX: ä.txt' });
};
const scanner = (address: string, timeout = '30s'): Scanner =>
  scannerOf(readConfig({ SCANNER: address, SCANNER_TIMEOUT: timeout }))!;

const CLEAN = { kind: 'clean' };
const FOUND = { kind: 'finding', name: EICAR_FINDING };

describeWith(['clamd', 'c-icap'], 'c-icap', () => {
  let clamd: TestClamd;
  let icap: TestIcap;
  beforeAll(async () => {
    clamd = await startClamd();
    icap = await startIcap(clamd.port);
  });
  afterAll(async () => {
    await icap?.stop();
    await clamd?.stop();
  });

  it('reports its name', async () => {
    expect(await scanner(icap.address('avscan')).describe()).toContain('Antivirus service');
  });

  // The preview has 1024 bytes. Above 2 MB c-icap begins to return content before it has a verdict.
  it.each<[IcapService, string, number]>([
    ['avscan', 'less than the preview', 100],
    ['avscan', 'as much as the preview', 1024],
    ['avscan', 'more than the preview', 1025],
    ['avscan', 'several chunks', 300_000],
    ['avscan', 'more than it holds back', 8_000_000],
    ['whole', 'less than the preview', 100],
    ['whole', 'several chunks', 300_000],
    ['whole', 'more than it holds back', 8_000_000],
  ])('judges contents at %s, with %s', async (service, _, size) => {
    const at = scanner(icap.address(service));
    const text = 'clean '.repeat(size / 6 + 1).slice(0, size);
    expect(await at.scan(contentOf(text))).toEqual(CLEAN);
    expect(await at.scan(contentOf(text.slice(0, size - EICAR.length) + EICAR))).toEqual(FOUND);
  });

  it('accepts everything if its service is an echo', async () => {
    for (const text of ['x', 'x'.repeat(1_000_000)])
      expect(await scanner(icap.address('echo')).scan(contentOf(text))).toEqual(CLEAN);
  });

  it('fails if the service does not exist', async () => {
    const at = scanner(icap.address('avscan').replace('avscan', 'none'));
    await expect(at.scan(contentOf('x'))).rejects.toThrow(/404/);
    await expect(scanner('icap://127.0.0.1:1/avscan').scan(contentOf('x'))).rejects.toThrow(ScannerFailure);
  });
});

describe('an ICAP server', () => {
  let server: Server;
  let answers: string[];
  let asked: string[];
  beforeAll(async () => {
    server = createServer((socket) => {
      const answer = answers.shift() ?? '';
      let heard = '';
      socket
        .on('error', () => undefined)
        .on('data', (bytes) => {
          heard += bytes.toString('latin1');
          if (!heard.endsWith('0\r\n\r\n') && !heard.startsWith('OPTIONS')) return;
          asked.push(heard);
          socket.end(answer, 'latin1');
        });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(() => new Promise((closed) => server.close(closed)));
  beforeEach(() => (asked = []));

  const options = (method: string): string =>
    `ICAP/1.0 200 OK\r\nMethods: ${method}\r\nService: of the spec\r\nEncapsulated: null-body=0\r\n\r\n`;
  const at = (): Scanner => scanner(`icap://127.0.0.1:${(server.address() as AddressInfo).port}/scan`);
  const scanWith = (method: string, answer: string) => {
    answers = [options(method), answer];
    return at().scan(contentOf('content'));
  };
  const ok = (encapsulated: string, more = ''): string =>
    `ICAP/1.0 200 OK\r\n${more}Encapsulated: ${encapsulated}\r\n\r\n`;
  const page = 'HTTP/1.1 200 OK\r\n\r\n';

  it.each([
    ['the same content', ok('res-hdr=0, res-body=19') + `${page}7\r\ncontent\r\n0\r\n\r\n`, CLEAN],
    [
      'the same content in parts',
      ok('res-hdr=0, res-body=19') + `${page}3\r\ncon\r\n4;x=y\r\ntent\r\n0\r\n\r\n`,
      CLEAN,
    ],
    ['no modification', 'ICAP/1.0 204 No modifications needed\r\n\r\n', CLEAN],
    [
      'another content',
      ok('res-hdr=0, res-body=19') + `${page}7\r\nblocked\r\n0\r\n\r\n`,
      { kind: 'finding', name: 'changed by the scanner' },
    ],
    [
      'a part of the content',
      ok('res-hdr=0, res-body=19') + `${page}4\r\ncont\r\n0\r\n\r\n`,
      { kind: 'finding', name: 'changed by the scanner' },
    ],
    ['nothing', ok('res-hdr=0, null-body=19') + page, { kind: 'finding', name: 'changed by the scanner' }],
    [
      'a page of its own',
      ok('res-hdr=0, res-body=26') + 'HTTP/1.1 403 Forbidden\r\n\r\n2\r\nno\r\n0\r\n\r\n',
      { kind: 'finding', name: 'blocked by the scanner' },
    ],
    [
      'a finding as Sophos and Symantec name it',
      ok('res-hdr=0, null-body=19', 'X-Virus-ID: EICAR-AV-Test\r\n') + page,
      { kind: 'finding', name: 'EICAR-AV-Test' },
    ],
    [
      'a finding by a list',
      ok('null-body=0', 'X-Violations-Found: 1\r\n\tname.txt\r\n\tEicar\r\n\t11101\r\n\t2\r\n'),
      { kind: 'finding', name: 'Eicar' },
    ],
    ['that it is too large', 'ICAP/1.0 413 Too large\r\n\r\n', { kind: 'too-large' }],
  ])('that answers RESPMOD with %s', async (_, answer, verdict) => {
    expect(await scanWith('RESPMOD', answer)).toEqual(verdict);
    expect(asked[1]).toContain('GET http://drawbridge/a%20name%3F%20%0D%0AX%3A%20%C3%A4.txt HTTP/1.1\r\n');
  });

  it('is asked by REQMOD if it accepts nothing else', async () => {
    const request = 'PUT http://drawbridge/x HTTP/1.1\r\n\r\n';
    const echo = `${ok('req-hdr=0, req-body=37')}${request}7\r\ncontent\r\n0\r\n\r\n`;
    expect(await scanWith('REQMOD', echo)).toEqual(CLEAN);
    expect(asked[1]).toMatch(/^REQMOD .*content-length: 7\r\n\r\n7\r\ncontent\r\n0\r\n\r\n$/s);
    const blocked = `${ok('res-hdr=0, res-body=19')}${page}7\r\ncontent\r\n0\r\n\r\n`;
    expect(await scanWith('REQMOD', blocked)).toEqual({ kind: 'finding', name: 'blocked by the scanner' });
  });

  it.each([
    ['is overloaded', 'ICAP/1.0 503 Service overloaded\r\n\r\n', ScannerFailure],
    ['speaks something else', '220 mail.example.org\r\n\r\n', ScannerFailure],
    ['hangs up', '', ScannerHungUp],
    [
      'hangs up while it sends the content back',
      `${ok('res-hdr=0, res-body=19')}${page}7\r\ncon`,
      ScannerHungUp,
    ],
    ['never ends its head', `ICAP/1.0 200 OK\r\nx: ${'x'.repeat(70_000)}`, ScannerFailure],
  ])('that %s gives no verdict', async (_, answer, failure) => {
    await expect(scanWith('RESPMOD', answer)).rejects.toThrow(failure);
  });

  it('is asked for its options once, until something fails', async () => {
    const clean = 'ICAP/1.0 204 OK\r\n\r\n';
    answers = [options('RESPMOD'), clean, clean, '', options('RESPMOD'), clean];
    const kept = at();
    for (let time = 0; time < 2; time++) expect(await kept.scan(contentOf('content'))).toEqual(CLEAN);
    await expect(kept.scan(contentOf('content'))).rejects.toThrow(ScannerHungUp);
    expect(await kept.scan(contentOf('content'))).toEqual(CLEAN);
    expect(asked.filter((question) => question.startsWith('OPTIONS'))).toHaveLength(2);
    answers = [options('FILEMOD')];
    await expect(at().describe()).rejects.toThrow('neither RESPMOD nor REQMOD');
  });
});
