import type { Dice } from './dice';
import type { FuzzRequest } from './fuzz-request';
import { mutateBody } from './mutate-body';
import { mutateText } from './mutate-text';

const METHODS = [
  ...['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'PROPFIND', 'PROPPATCH'],
  ...['MKCOL', 'COPY', 'MOVE', 'LOCK', 'UNLOCK', 'SEARCH', 'REPORT', 'TRACE'],
];
const MEDIA_TYPES = [
  ...['application/json', 'application/x-www-form-urlencoded', 'application/xml', 'text/plain'],
  ...['multipart/form-data; boundary=x', 'application/json; charset=utf-16', 'nonsense', ''],
];
const NAMED_HEADERS: readonly (readonly [string, readonly string[]])[] = [
  ['depth', ['0', '1', 'infinity', '-1', '99', 'x']],
  ['range', ['bytes=0-', 'bytes=-1', 'bytes=9-1', 'bytes=0-0,2-3', 'bytes=99999999999999999999-', 'x=1']],
  ['if-none-match', ['*', '"x"', 'W/"x"', '"', '"a","b"']],
  ['if-match', ['*', '""', 'x']],
  ['destination', ['/remote.php/webdav/x', 'http://[', '//', '/../..', 'https://127.0.0.1:1/x']],
  ['overwrite', ['T', 'F', 'x']],
  ['x-forwarded-for', ['10.0.0.1', 'x, y', '::1', ',,,']],
  ['x-forwarded-proto', ['https', 'gopher']],
  ['x-forwarded-host', ['elsewhere.example']],
  ['x-http-method-override', ['DELETE', 'PUT']],
  ['host', ['elsewhere.example', 'a b', '[::1', 'x:99999']],
  ['accept', ['application/json', '*/*', 'x'.repeat(400)]],
  ['user-agent', ['ownCloud Server Crawler', 'x'.repeat(2000), '']],
  ['ocs-apirequest', ['true', 'false']],
  ['origin', ['https://elsewhere.example', 'null']],
  ['digest', ['SHA-256=AAAA', 'SHA-256=', '=']],
  [
    'signature',
    [
      'keyId="x",algorithm="rsa-sha512",headers="(request-target)",signature="AA=="',
      'keyId="',
      ',=,=',
      'sig1=:AA==:',
    ],
  ],
  [
    'signature-input',
    ['sig1=("@method" "@target-uri");created=1;keyid="x#y";alg="ed25519"', 'sig1=(', 'sig1=()'],
  ],
  ['content-digest', ['sha-256=:AAAA:', 'sha-512=:', '']],
  ['oc-checksum', ['SHA1:00', ':', 'MD5:']],
  ['x-oc-mtime', ['-1', '1e99', 'x']],
  ['content-encoding', ['gzip', 'br', 'x']],
  ['expect', ['x']],
];

/** Makes one to four changes to the request. */
export function mutateRequest(request: FuzzRequest, dice: Dice): FuzzRequest {
  let changed = request;
  for (let left = 1 + dice.below(4); left > 0; left--) changed = mutateOnce(changed, dice);
  return changed;
}

function mutateOnce(request: FuzzRequest, dice: Dice): FuzzRequest {
  switch (dice.below(7)) {
    case 0:
      return { ...request, target: mutateTarget(request.target, dice) };
    case 1:
      return { ...request, headers: mutateHeaders(request.headers, dice) };
    case 2:
      return dice.oneIn(4) ? { ...request, method: dice.of(METHODS) } : request;
    default:
      return { ...request, body: mutateBody(request, dice) };
  }
}

/** Writes the same address in another way, or in a way that only some programs treat as the same. */
function respell(path: string, dice: Dice): string {
  const at = dice.below(path.length + 1);
  const [before, after] = [path.slice(0, at), path.slice(at)];
  const slash = path.indexOf('/', at);
  const between = (text: string): string =>
    slash < 0 ? `${path}${text}` : `${path.slice(0, slash)}${text}${path.slice(slash)}`;
  switch (dice.below(8)) {
    case 0:
      return `${before}${after.replace(/[A-Za-z0-9._~-]/, encodeAlways)}`;
    case 1:
      return path.replace(/[A-Za-z0-9._~-]/g, (letter) => (dice.oneIn(4) ? encodeAlways(letter) : letter));
    case 2:
      return between(dice.of(['/.', '/..', '/x/..', '/%2e', '/%2E%2e', '/.%2e/x', '/..;']));
    case 3:
      return between(dice.of(['/', '//', '/\\', '%2f', '%2F', '%5c', '%252f']));
    case 4:
      return `${before}${dice.of(['#', '%23', '#/', ';a=b', '%3f', '%00', '%0a', '|'])}${after}`;
    case 5:
      return path.replace(/[a-z]/gi, (letter) => (dice.oneIn(3) ? swapCase(letter) : letter));
    case 6:
      return path.replace(/%[0-9a-f]{2}/gi, (code) =>
        dice.oneIn(2) ? code.toLowerCase() : `%25${code.slice(1)}`,
      );
    default:
      return `${dice.of(['http://elsewhere.example', 'HTTP://x:99999', '//x', '/index.php', '/.'])}${path}`;
  }
}

const encodeAlways = (letter: string): string => `%${letter.charCodeAt(0).toString(16)}`;
const swapCase = (letter: string): string =>
  letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();

function mutateTarget(target: string, dice: Dice): string {
  const [path = '/', query = ''] = target.split('?');
  if (dice.oneIn(2)) return `${respell(path, dice)}${query && `?${query}`}`;
  if (dice.oneIn(3)) return `${path}?${mutateText(query, dice)}`;
  const parts = path.split('/');
  const at = 1 + dice.below(parts.length);
  if (dice.oneIn(3)) parts.splice(at, 0, mutateText(parts[at] ?? '', dice));
  else
    parts[at] = dice.oneIn(2)
      ? encodeURIComponent(mutateText(parts[at] ?? '', dice).toWellFormed())
      : mutateText(parts[at] ?? '', dice);
  return `${parts.join('/')}${query && `?${query}`}`;
}

function mutateHeaders(headers: FuzzRequest['headers'], dice: Dice): FuzzRequest['headers'] {
  const names = Object.keys(headers);
  if (names.length > 0 && dice.oneIn(3)) {
    const name = dice.of(names);
    return { ...headers, [name]: mutateText(headers[name]!, dice) };
  }
  if (dice.oneIn(4)) return { ...headers, 'content-type': dice.of(MEDIA_TYPES) };
  if (dice.oneIn(4)) return { ...headers, authorization: mutateAuthorization(headers.authorization, dice) };
  const [name, values] = dice.of(NAMED_HEADERS);
  return { ...headers, [name]: dice.oneIn(3) ? mutateText(dice.of(values), dice) : dice.of(values) };
}

function mutateAuthorization(known: string | undefined, dice: Dice): string {
  const encode = (text: string): string => Buffer.from(text).toString('base64');
  return dice.of([
    `Basic ${encode(mutateText('user:password', dice))}`,
    `Basic ${mutateText(encode('user:password'), dice)}`,
    `Bearer ${mutateText('token', dice)}`,
    mutateText(known ?? 'Basic', dice),
    'Signature keyId="x"',
  ]);
}
