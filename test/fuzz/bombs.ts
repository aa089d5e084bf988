import type { Held } from './corpus';
import type { Dice } from './dice';
import type { FuzzRequest } from './fuzz-request';

const XML_BYTES = 64_000;
const MESSAGE_BYTES = 128_000;
const BODY_BYTES = 1_000_000;
const HEADER_CHARACTERS = 14_000;

/** A text of at most `bytes` characters. */
const filled = (bytes: number, piece: (at: number) => string): string => {
  const pieces: string[] = [];
  for (let size = 0, at = 0; ; at++) {
    const next = piece(at);
    size += next.length;
    if (size > bytes) return pieces.join('');
    pieces.push(next);
  }
};

const DAV = 'xmlns:d="DAV:"';
const propfind = (inner: string): string => `<d:propfind ${DAV}><d:prop>${inner}</d:prop></d:propfind>`;
const nested = (bytes: number, open: (at: number) => string, close: (at: number) => string): string => {
  const names: number[] = [];
  const start = filled(bytes, (at) => {
    names.push(at);
    return open(at) + ' '.repeat(close(at).length);
  });
  const depth = start === '' ? 0 : names.length - 1;
  return (
    Array.from({ length: depth }, (_, at) => open(at)).join('') +
    Array.from({ length: depth }, (_, at) => close(depth - 1 - at)).join('')
  );
};

/** XML bodies that are small and hard to parse. */
const XML: Readonly<Record<string, (bytes: number) => string>> = {
  namespaces: (bytes) => propfind(`<d:a ${filled(bytes, (at) => `xmlns:n${at}="u:${at}" `)}/>`),
  'namespaces at each level': (bytes) =>
    propfind(
      nested(
        bytes,
        (at) => `<n${at}:a xmlns:n${at}="u:${at}" xmlns:m${at}="v">`,
        (at) => `</n${at}:a>`,
      ),
    ),
  attributes: (bytes) => propfind(`<d:a ${filled(bytes, (at) => `a${at}="" `)}/>`),
  'one attribute again and again': (bytes) => propfind(`<d:a ${'a="" '.repeat(bytes / 5)}/>`),
  entities: (bytes) => propfind(`<d:a>${'&amp;'.repeat(bytes / 5)}</d:a>`),
  'numbered entities': (bytes) => propfind(`<d:a>${'&#x10ffff;'.repeat(bytes / 10)}</d:a>`),
  'a document type': (bytes) =>
    `<!DOCTYPE d [<!ENTITY a "a">${filled(bytes, (at) => `<!ENTITY b${at} "&a;&a;&a;">`)}]>${propfind('&b0;')}`,
  depth: (bytes) =>
    propfind(
      nested(
        bytes,
        () => '<d:a>',
        () => '</d:a>',
      ),
    ),
  elements: (bytes) => propfind('<d:a/>'.repeat(bytes / 6)),
  'elements of as many names': (bytes) => propfind(filled(bytes, (at) => `<d:p${at}/>`)),
  'a long name': (bytes) => propfind(`<d:${'x'.repeat(bytes)}/>`),
  'open brackets': (bytes) => propfind('<'.repeat(bytes)),
  comments: (bytes) => propfind('<!---->'.repeat(bytes / 7)),
  'sections of text': (bytes) => propfind('<![CDATA[]]>'.repeat(bytes / 12)),
  instructions: (bytes) => propfind('<?a?>'.repeat(bytes / 5)),
};

/** The same for JSON. */
const JSON_TEXT: Readonly<Record<string, (bytes: number) => string>> = {
  'nested lists': (bytes) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2),
  'nested objects': (bytes) => '{"a":'.repeat(bytes / 6) + '1' + '}'.repeat(bytes / 6),
  keys: (bytes) => `{${filled(bytes, (at) => `"k${at}":0,`)}"z":0}`,
  'one key again and again': (bytes) => `{${'"a":0,'.repeat(bytes / 6)}"z":0}`,
  'keys of prototypes': (bytes) => `{${'"__proto__":{},'.repeat(bytes / 15)}"z":0}`,
  'a long number': (bytes) => `{"name":${'9'.repeat(bytes)}}`,
  'escaped characters': (bytes) => `{"name":"${'\\u0041'.repeat(bytes / 6)}"}`,
  'a long name': (bytes) => `{"name":"${'../'.repeat(bytes / 3)}","shareWith":"${'@'.repeat(200)}"}`,
};

/** The same for forms. */
const FORM: Readonly<Record<string, (bytes: number) => string>> = {
  fields: (bytes) => filled(bytes, (at) => `f${at}=&`),
  'one field again and again': (bytes) => 'name=&'.repeat(bytes / 6),
  'a list': (bytes) => 'groups[]=&'.repeat(bytes / 10),
  'nested lists': (bytes) => `name${'[a]'.repeat(bytes / 3)}=x`,
  'open brackets': (bytes) => `name${'['.repeat(bytes)}=x`,
  'numbered lists': (bytes) => filled(bytes, (at) => `attributes[${at}][key]=a&`),
  'encoded characters': (bytes) => `name=${'%41'.repeat(bytes / 3)}`,
  'broken encodings': (bytes) => `name=${'%'.repeat(bytes)}`,
  'a long path': (bytes) => `path=${'/a'.repeat(bytes / 2)}`,
  blanks: (bytes) => `name=${'+'.repeat(bytes)}x`,
};

/** Values of headers that are lists, numbers or dates. */
const HEADERS: Readonly<Record<string, string>> = {
  range: `bytes=${filled(HEADER_CHARACTERS, () => '0-0,')}1-1`,
  'if-none-match': filled(HEADER_CHARACTERS, (at) => `W/"${at}",`),
  'if-match': '"'.repeat(HEADER_CHARACTERS),
  if: filled(HEADER_CHARACTERS, () => '(<urn:a> ["b"]) '),
  depth: `infinity${' '.repeat(HEADER_CHARACTERS)}x`,
  destination: `/remote.php/webdav/${'../'.repeat(HEADER_CHARACTERS / 3)}`,
  overwrite: 'T'.repeat(HEADER_CHARACTERS),
  'x-forwarded-for': filled(HEADER_CHARACTERS, () => '10.0.0.1,'),
  signature: filled(HEADER_CHARACTERS, (at) => `sig${at}=:AA==:,`),
  'signature-input': filled(HEADER_CHARACTERS, (at) => `s${at}=("@method" "@method");created=1;tag="ocm",`),
  digest: filled(HEADER_CHARACTERS, () => 'SHA-256=AA==,'),
  'content-digest': filled(HEADER_CHARACTERS, () => 'sha-256=:AA==:,'),
  authorization: `Basic ${'QTpC'.repeat(HEADER_CHARACTERS / 4)}`,
  accept: filled(HEADER_CHARACTERS, () => 'a/b;q=0.1,'),
  'content-type': `multipart/form-data; ${filled(HEADER_CHARACTERS, () => 'boundary=x; ')}`,
  cookie: filled(HEADER_CHARACTERS, (at) => `c${at}=1;`),
  traceparent: '00-'.repeat(HEADER_CHARACTERS / 3),
  'oc-checksum': filled(HEADER_CHARACTERS, () => 'SHA1:00 '),
  'x-oc-mtime': '9'.repeat(HEADER_CHARACTERS),
};

const multipart = (bytes: number): string =>
  `${filled(bytes, (at) => `--x\r\ncontent-disposition: form-data; name="f${at}"\r\n\r\n\r\n`)}--x--\r\n`;

export interface Bomb {
  readonly name: string;
  readonly request: FuzzRequest;
}

const SHARES = '/ocs/v2.php/apps/files_sharing/api/v1/shares';

/**
 * Small requests that could take long: each kind at each address that parses it.
 * @param signedIn value of an Authorization header
 */
export function bombs(held: Held, signedIn: string, dice: Dice): Bomb[] {
  const link = `/remote.php/dav/public-files/${held.linkToken}/`;
  const own = '/remote.php/webdav/held/';
  const made: Bomb[] = [];
  const add = (
    name: string,
    method: string,
    target: string,
    headers: Record<string, string>,
    body = '',
  ): void => {
    const authorization: Record<string, string> =
      dice.oneIn(8) || target === link ? {} : { authorization: signedIn };
    made.push({
      name: `${name}: ${method} ${target}`,
      request: { method, target, headers: { ...authorization, ...headers }, body },
    });
  };
  const part = (bytes: number): number => Math.floor(bytes / (1 + dice.below(3)));
  for (const [name, body] of Object.entries(XML))
    for (const [method, target] of [
      ['PROPFIND', link],
      ['PROPFIND', own],
      ['PROPPATCH', own],
    ] as const)
      add(
        `XML, ${name}`,
        method,
        target,
        { depth: '1', 'content-type': 'application/xml' },
        body(part(XML_BYTES) - 200),
      );
  for (const [name, body] of Object.entries(JSON_TEXT)) {
    for (const target of ['/ocm/shares', '/ocm/notifications', '/ocm/invite-accepted'])
      add(`JSON, ${name}`, 'POST', target, { 'content-type': 'application/json' }, body(part(MESSAGE_BYTES)));
    add(`JSON, ${name}`, 'POST', SHARES, { 'content-type': 'application/json' }, body(part(BODY_BYTES)));
  }
  for (const [name, body] of Object.entries(FORM)) {
    for (const target of [SHARES, '/ocs/v1.php/cloud/users'])
      add(
        `form, ${name}`,
        'POST',
        target,
        { 'content-type': 'application/x-www-form-urlencoded' },
        body(part(BODY_BYTES)),
      );
    for (const target of ['/ocm/token', '/ocs/v1.php/cloud/shares', `/s/${held.linkToken}`])
      add(
        `form, ${name}`,
        'POST',
        target,
        { 'content-type': 'application/x-www-form-urlencoded' },
        body(part(MESSAGE_BYTES)),
      );
    add(`query, ${name}`, 'GET', `${SHARES}?${body(8000)}`, {});
  }
  add(
    'multipart, parts',
    'POST',
    SHARES,
    { 'content-type': 'multipart/form-data; boundary=x' },
    multipart(part(BODY_BYTES)),
  );
  for (const [name, value] of Object.entries(HEADERS))
    for (const [method, target] of [
      ['GET', `${own}inner.txt`],
      ['PROPFIND', link],
      ['POST', '/ocm/shares'],
      ['COPY', own],
    ] as const)
      add(`header ${name}`, method, target, { [name]: value }, '');
  add(
    'headers',
    'GET',
    own,
    Object.fromEntries(Array.from({ length: 95 }, (_, at) => [`x-${at}`, 'y'.repeat(100)])),
  );
  return made;
}
