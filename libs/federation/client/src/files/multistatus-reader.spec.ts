import { Readable } from 'node:stream';
import { WorkBudget } from '#platform';
import {
  MultistatusRefused,
  readMultistatus,
  type DavResponse,
  type MultistatusLimits,
} from './multistatus-reader';
import { XmlRefused, XmlScanner } from './xml-scanner';

const read = (
  document: string | Buffer,
  piece = 7,
  limits?: MultistatusLimits,
): Promise<readonly DavResponse[]> => {
  const bytes = Buffer.from(document as string);
  const pieces = Array.from({ length: Math.ceil(bytes.length / piece) }, (_one, at) =>
    bytes.subarray(at * piece, (at + 1) * piece),
  );
  return readMultistatus(Readable.from(pieces, { objectMode: false }), limits);
};
const wrap = (inside: string): string => `<d:multistatus xmlns:d="DAV:">${inside}</d:multistatus>`;
const entry = (href: string, props: string, status = 'HTTP/1.1 200 OK'): string =>
  `<d:response><d:href>${href}</d:href><d:propstat><d:prop>${props}</d:prop><d:status>${status}</d:status></d:propstat></d:response>`;

const many = (make: (at: number) => string, count: number): string =>
  Array.from({ length: count }, (_one, at) => make(at)).join(' ');

const REVA =
  '<d:multistatus xmlns:s="http://sabredav.org/ns" xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns"><d:response>' +
  '<d:href>/dav/ocm/1/</d:href><d:propstat><d:prop><d:getetag>"e1"</d:getetag><oc:permissions></oc:permissions>' +
  '<d:resourcetype><d:collection/></d:resourcetype></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat>' +
  '<d:propstat><d:prop><oc:audio></oc:audio><d:getcontentlength/></d:prop><d:status>HTTP/1.1 404 Not Found</d:status>' +
  '</d:propstat></d:response></d:multistatus>';

describe('a multistatus', () => {
  it.each([1, 7, 64, 100_000])('is read in pieces of %i bytes', async (piece) => {
    const properties = new Map([
      ['DAV: getetag', '"e1"'],
      ['http://owncloud.org/ns permissions', ''],
      ['DAV: resourcetype', ''],
    ]);
    expect(await read(REVA, piece)).toEqual([
      { href: '/dav/ocm/1/', isFolder: true, status: undefined, properties },
    ]);
  });

  it('is read in many spellings', async () => {
    const document = `\uFEFF<?xml version="1.0"?><!-- <x> --><multistatus xmlns='DAV:' a=">"><D:response xmlns:D = "DAV:" >
      <D:href> /\u00e4&amp;&#x20AC;<![CDATA[<&]]> </D:href><propstat><prop><x xmlns="urn:y">&lt;1&gt;<deep>2</deep>3</x></prop></propstat
      ></D:response ><response/></multistatus>\n`;
    for (const piece of [1, 3, 1000])
      expect(await read(document, piece)).toEqual([
        { href: '/ä&€<&', isFolder: false, status: undefined, properties: new Map([['urn:y x', '<1>3']]) },
      ]);
  });

  it('has only the properties that were found', async () => {
    const [one] = await read(
      wrap(
        entry(
          '/a',
          '<d:getetag>x</d:getetag><d:resourcetype><d:collection/></d:resourcetype>',
          'HTTP/1.1 403 Forbidden',
        ),
      ),
    );
    expect(one).toEqual({ href: '/a', isFolder: false, status: undefined, properties: new Map() });
  });

  it('shows a folder only by its resource type', async () => {
    const [one] = await read(wrap(entry('/a', '<d:other><d:collection/></d:other>')));
    expect(one!.isFolder).toBe(false);
  });

  it.each([
    ['a document type', `<!DOCTYPE m>${wrap('')}`],
    ['an entity', `<!ENTITY e "x">${wrap('')}`],
    ['a page', '<!DOCTYPE html><html></html>'],
    ['another root', '<d:error xmlns:d="DAV:"/>'],
    ['an undeclared prefix', '<d:multistatus/>'],
    ['two roots', wrap('') + wrap('')],
    ['text behind it', `${wrap('')}x`],
    ['nothing', ''],
    ['half of it', wrap(entry('/a', '')).slice(0, -20)],
    ['tags that do not match', '<d:multistatus xmlns:d="DAV:"><d:a></d:b></d:multistatus>'],
    ['broken attributes', '<d:multistatus xmlns:d="DAV:" a=1/>'],
    ['a tag without a name', wrap('< />')],
    ['deep nesting', wrap('<x>'.repeat(40))],
    ['a long text', wrap(`<d:response><d:href>${'x'.repeat(70_000)}`)],
    ['a long tag', wrap(`<x ${'y'.repeat(140_000)}`)],
    ['an entity of others', wrap(entry('/&e;', ''))],
    ['a prefix without a namespace', wrap('<x xmlns:y=""/>')],
    ['an attribute whose prefix is undeclared', wrap('<x y:z=""/>')],
    ['many attributes', wrap(`<x ${many((at) => `a${at}=""`, 200)}/>`)],
    ['many declarations', wrap(`<x ${many((at) => `xmlns:a${at}="u"`, 200)}/>`)],
    ['a long name', wrap(`<${'x'.repeat(2000)}/>`)],
    ['a long name of an attribute', wrap(`<x ${'y'.repeat(2000)}=""/>`)],
    ['a long value', wrap(entry(`${'x'.repeat(20_000)}`, ''))],
  ])('is refused for %s', async (_what, document) => {
    await expect(read(document, 50_000)).rejects.toBeInstanceOf(MultistatusRefused);
  });

  it('is refused for its document type before its content is read', async () => {
    const document = `<!DOCTYPE m [<!ENTITY e SYSTEM "file:///etc/passwd">]>${wrap('&e;')}`;
    await expect(read(document)).rejects.toThrow('it has a document type');
  });

  it('is refused when it is not UTF-8', async () => {
    await expect(read(Buffer.from([0x3c, 0xff, 0x3e]))).rejects.toBeInstanceOf(MultistatusRefused);
  });

  it('is refused above its limits', async () => {
    const two = wrap(entry('/a', '') + entry('/b', ''));
    expect(await read(two, 7, { bytes: 10_000, entries: 2 })).toHaveLength(2);
    await expect(read(two, 7, { bytes: 10_000, entries: 1 })).rejects.toBeInstanceOf(MultistatusRefused);
    await expect(read(two, 7, { bytes: 100, entries: 2 })).rejects.toBeInstanceOf(MultistatusRefused);
  });

  it('is refused if it takes too long', async () => {
    const clock = { now: 0 };
    const budget = new WorkBudget(1000, () => (clock.now += 1));
    const listener = { opened: () => (clock.now += 1), text: () => undefined, closed: () => undefined };
    const scanner = new XmlScanner(listener, budget);
    scanner.write('<a>');
    const pieces = (): void => {
      for (let piece = 0; piece < 100; piece++) scanner.write('<b/>'.repeat(100));
    };
    expect(pieces).toThrow(new XmlRefused('it takes too much time'));
  });

  it('fails with the error of its stream', async () => {
    const lost = new Error('lost');
    const body = Readable.from(
      (function* () {
        yield Buffer.from('<d');
        throw lost;
      })(),
      { objectMode: false },
    );
    await expect(readMultistatus(body)).rejects.toBe(lost);
  });
});
