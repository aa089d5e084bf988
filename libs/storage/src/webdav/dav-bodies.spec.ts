import fc from 'fast-check';
import { WorkBudget } from '#platform';
import { DavFailure } from './dav-failure';
import { INVALID_PATH, propStatOf, writeDavError, writeMultistatus } from './multistatus';
import { parsePropfind } from './propfind-request';
import { parseProppatch } from './proppatch-request';
import { propertyElement } from './property-name';
import { parseXml } from './xml-document';

const many = (make: (at: number) => string, count: number): string =>
  Array.from({ length: count }, (_one, at) => make(at)).join(' ');

describe('XML bodies', () => {
  it('have their namespaces resolved and their text decoded', () => {
    const root = parseXml(
      '\uFEFF<?xml version="1.0"?><a:x xmlns:a="A" xmlns="D"><y>1 &lt; &#50; &#x33;<![CDATA[<&]]></y><a:z xmlns:a="B"/></a:x>',
    );
    expect(root).toMatchObject({ namespace: 'A', name: 'x' });
    expect(root.children).toMatchObject([
      { namespace: 'D', name: 'y', text: '1 < 2 3<&' },
      { namespace: 'B', name: 'z', text: '' },
    ]);
  });

  it.each([
    ['', 'nothing'],
    ['plain text', 'no element'],
    ['<a>', 'an open element'],
    ['<a/><b/>', 'two elements'],
    ['<x:a/>', 'an unknown prefix'],
    ['<!DOCTYPE a><a/>', 'a document type'],
    ['<!doctype a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>', 'an external entity'],
    ['<a>'.repeat(40) + '</a>'.repeat(40), 'deep nesting'],
    [`<a>${'<b/>'.repeat(5000)}</a>`, 'many elements'],
    [`<a ${many((at) => `b${at}=""`, 1100)}/>`, 'many attributes'],
    [`<a ${many((at) => `b${at}`, 1100)}/>`, 'many attributes without a value'],
    [`<a ${many((at) => `xmlns:b${at}="u"`, 1100)}/>`, 'many declarations of namespaces'],
    [`<?xml ${many((at) => `b${at}=""`, 1100)}?><a/>`, 'a long XML declaration'],
    [`<${'n'.repeat(5000)}/>`, 'a long name'],
    [`<a ${'n'.repeat(5000)}=""/>`, 'a long name of an attribute'],
    [`<a xmlns="${'u'.repeat(1100)}"/>`, 'a long namespace, which every element of an answer would repeat'],
    ['<a xmlns:x=""/>', 'a prefix without a namespace'],
    ['<a xmlns:=""/>', 'a declaration without a prefix'],
    ['<a x:b=""/>', 'an attribute whose prefix is undeclared'],
    ['<a:b:c xmlns:a="u"/>', 'a name with two colons'],
    ['<a: xmlns:a="u"/>', 'a prefix without a name'],
    ['<a xmlns:b="http://www.w3.org/XML/1998/namespace"/>', 'the namespace of xml with another prefix'],
    ['<a xmlns:xml="u"/>', 'the prefix xml with another namespace'],
    ['<a xmlns:b="http://www.w3.org/2000/xmlns/"/>', 'the namespace of declarations'],
    ['<a xmlns:b="u" xmlns:c="u" b:d="" c:d=""/>', 'an attribute that is there twice'],
  ])('%# %j is refused: %s', (body) => {
    expect(() => parseXml(body)).toThrow(expect.objectContaining({ code: 'bad-request' }));
  });

  it('have namespaces that end with their elements', () => {
    const root = parseXml('<a xmlns="A"><b xmlns="B" xmlns:p="P"><p:c xml:lang="de"/></b><c/></a>');
    expect(root.children).toMatchObject([
      { namespace: 'B', children: [{ namespace: 'P', name: 'c' }] },
      { namespace: 'A', name: 'c' },
    ]);
    expect(() => parseXml('<a><b xmlns:p="P"/><p:c/></a>')).toThrow(DavFailure);
  });

  it('are refused if they take too much time', () => {
    let clock = 0;
    const budget = new WorkBudget(10, () => (clock += 4));
    expect(() => parseXml(`<a>${'<b/>'.repeat(1000)}</a>`, budget)).toThrow(/too much time/);
  });

  it('are either read or refused', () => {
    const pieces = fc.constantFrom(
      '<a>',
      '</a>',
      '<a/>',
      '<',
      '>',
      '&',
      '&amp;',
      '<!--',
      '-->',
      '<![CDATA[',
      ']]>',
      '<?x',
      '?>',
      ' xmlns="b"',
      'text',
      '\u0000',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        try {
          parseXml(parts.join(''));
        } catch (error) {
          expect(error).toBeInstanceOf(DavFailure);
        }
      }),
    );
  });
});

describe('PROPFIND', () => {
  it('asks for named, all or only the names of properties', () => {
    expect(parsePropfind(' ')).toEqual({ kind: 'all', properties: [] });
    expect(parsePropfind('<propfind xmlns="DAV:"><propname/></propfind>')).toEqual({ kind: 'names' });
    expect(
      parsePropfind(
        '<d:propfind xmlns:d="DAV:"><d:allprop/><d:include><x xmlns="u"/></d:include></d:propfind>',
      ),
    ).toEqual({
      kind: 'all',
      properties: ['{u}x'],
    });
    expect(
      parsePropfind(
        '<d:propfind xmlns:d="DAV:"><d:prop><d:getetag/><d:getetag/><o:id xmlns:o="u"/></d:prop></d:propfind>',
      ),
    ).toEqual({
      kind: 'named',
      properties: ['{DAV:}getetag', '{u}id'],
    });
    expect(() => parsePropfind('<propertyupdate xmlns="DAV:"/>')).toThrow(DavFailure);
  });

  it.each([
    ['of OpenCloud', "<d:propfind xmlns:d='DAV:'><allprop/></d:propfind>", { kind: 'all', properties: [] }],
    ['without namespaces', '<propfind><propname/></propfind>', { kind: 'names' }],
    [
      'of another namespace',
      '<o:propfind xmlns:o="u"><o:prop><o:id/></o:prop></o:propfind>',
      { kind: 'named', properties: ['{u}id'] },
    ],
    [
      'with what nobody knows',
      '<propfind xmlns="DAV:"><x xmlns="u"><y/></x><propname/><leave-out/></propfind>',
      { kind: 'names' },
    ],
    ['that asks for nothing', '<propfind xmlns="DAV:"><x/></propfind>', { kind: 'all', properties: [] }],
    ['that names no property', '<propfind xmlns="DAV:"><prop/></propfind>', { kind: 'all', properties: [] }],
  ])('is read from a body %s', (_what, body, request) => {
    expect(parsePropfind(body)).toEqual(request);
  });

  it.each(['<propfind xmlns:x=""><allprop/></propfind>', '<d:propfind xmlns:d="DAV:"><x:y/></d:propfind>'])(
    'is refused when its namespaces are broken: %s',
    (body) => expect(() => parsePropfind(body)).toThrow(DavFailure),
  );
});

describe('PROPPATCH', () => {
  it('sets and removes in order, and keeps the content of a property', () => {
    const body = `<d:propertyupdate xmlns:d="DAV:" xmlns:z="urn:z">
      <d:set><d:prop><z:a>1 &amp; 2</z:a><z:b><z:c>x</z:c><d/></z:b></d:prop></d:set>
      <d:remove><d:prop><z:a/></d:prop></d:remove></d:propertyupdate>`;
    expect(parseProppatch(body)).toEqual([
      { key: '{urn:z}a', value: '1 &amp; 2', text: '1 & 2' },
      { key: '{urn:z}b', value: '<x1:c xmlns:x1="urn:z">x</x1:c><d xmlns=""/>', text: '' },
      { key: '{urn:z}a', value: null, text: null },
    ]);
    expect(() => parseProppatch('<d:propertyupdate xmlns:d="DAV:"/>')).toThrow(DavFailure);
  });

  it('keeps attributes, and texts between elements', () => {
    const body = `<d:propertyupdate xmlns:d="DAV:" xmlns:z="urn:z" xmlns:y="urn:y"><d:set><d:prop><z:a>one <z:b
      n="1 &amp; &quot;2&quot;" xml:lang="de" z:m="3" y:m="4">two<xml:c/>three</z:b> four</z:a></d:prop></d:set></d:propertyupdate>`;
    expect(parseProppatch(body)).toMatchObject([
      {
        value:
          'one <x1:b xmlns:x1="urn:z" n="1 &amp; &quot;2&quot;" xml:lang="de" xmlns:a2="urn:z" a2:m="3" xmlns:a3="urn:y" a3:m="4">' +
          'two<xml:c/>three</x1:b> four',
      },
    ]);
  });
});

describe('replies', () => {
  it('have the layout of deployed servers', () => {
    const chunks = writeMultistatus([
      {
        href: '/remote.php/webdav/a&b/',
        propstats: [
          {
            status: 200,
            properties:
              propertyElement('{DAV:}getetag', '&quot;1&quot;') +
              propertyElement('{http://open-collaboration-services.org/ns}share-permissions', '31'),
          },
          propStatOf(404, ['{urn:x}y']),
        ],
      },
      { href: '/b', propstats: [{ status: 200, properties: '' }] },
    ]);
    const xml = [...chunks].join('');
    expect(xml).toBe(
      '<?xml version="1.0"?>\n<d:multistatus xmlns:d="DAV:" xmlns:s="http://sabredav.org/ns" xmlns:oc="http://owncloud.org/ns">' +
        '<d:response><d:href>/remote.php/webdav/a&amp;b/</d:href><d:propstat><d:prop><d:getetag>&quot;1&quot;</d:getetag>' +
        '<x1:share-permissions xmlns:x1="http://open-collaboration-services.org/ns">31</x1:share-permissions></d:prop>' +
        '<d:status>HTTP/1.1 200 OK</d:status></d:propstat><d:propstat><d:prop><x1:y xmlns:x1="urn:x"/></d:prop>' +
        '<d:status>HTTP/1.1 404 Not Found</d:status></d:propstat></d:response>' +
        '<d:response><d:href>/b</d:href><d:propstat><d:prop></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response></d:multistatus>\n',
    );
    expect(parseXml(xml).children).toHaveLength(2);
  });

  it('are sent in parts if they are long', () => {
    const entry = { href: `/${'n'.repeat(1000)}`, propstats: [] };
    const chunks = [...writeMultistatus(Array.from({ length: 200 }, () => entry))];
    expect(chunks.length).toBeGreaterThan(2);
    expect(parseXml(chunks.join('')).children).toHaveLength(200);
  });

  it('of a refused name have the reason, and that it stays refused', () => {
    const [, message, retry, reason] = parseXml(writeDavError(INVALID_PATH, 'No <such> name')).children;
    expect([message!.text, retry!.text, reason!.text]).toEqual(['No <such> name', 'false', 'No <such> name']);
  });

  it('stay well-formed with any message', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (message) => {
        expect(
          parseXml(
            writeDavError('Sabre\\DAV\\Exception\\NotFound', message, { name: 'propfind-finite-depth' }),
          ).children,
        ).toHaveLength(3);
      }),
    );
  });
});
