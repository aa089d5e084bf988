import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Route } from '../edge/route-table';
import { readServerExchanges } from '../federation/server-exchange';
import type { Dice } from './dice';
import type { FuzzRequest } from './fuzz-request';

const RECORDINGS = join(__dirname, '../fixtures/captures/owncloud/federation');
const FORM = 'application/x-www-form-urlencoded';

/** Secrets that anonymous callers use: they give access, and must never appear in a log. */
export interface Held {
  readonly linkToken: string;
  readonly shareSecret: string;
  /** The secret in offers and notices. */
  readonly canary: string;
}

const basic = (user: string, password = ''): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
const PROPERTIES =
  '<?xml version="1.0"?><d:propfind xmlns:d="DAV:"><d:prop><d:getetag/><d:getcontentlength/></d:prop></d:propfind>';

/** Recorded requests between deployed servers, with our secret instead of theirs. */
export function recordedRequests({ canary }: Held): FuzzRequest[] {
  const recordings = readdirSync(RECORDINGS).filter((name) => name.endsWith('.s2s.txt'));
  const requests = recordings
    .flatMap(readServerExchanges)
    .map(({ method, path, contentType, depth, body }) => {
      const headers: Record<string, string> = {};
      if (contentType !== '') headers['content-type'] = contentType;
      if (depth !== '') headers.depth = depth;
      return { method, target: path, headers, body: withSecret(body, canary) };
    });
  const distinct = new Map(requests.map((request) => [JSON.stringify(request), request]));
  return [...distinct.values()];
}

function withSecret(body: string, canary: string): string {
  return body
    .replace(/("sharedSecret": ?")[^"]*/g, `$1${canary}`)
    .replace(/\b(token=)[^&]*/g, `$1${canary}`)
    .replace(/("shareWith": ?")[^"@]*/g, '$1alice')
    .replace(/\b(shareWith=)[^&]*/g, '$1alice');
}

/** Requests with a valid secret. */
export function heldRequests({ linkToken, shareSecret, canary }: Held): FuzzRequest[] {
  const asPartner = { authorization: basic(shareSecret) };
  const read = (target: string, headers = {}): FuzzRequest => ({ method: 'GET', target, headers, body: '' });
  const look = (target: string, headers = {}): FuzzRequest => ({
    method: 'PROPFIND',
    target,
    headers: { depth: '1', 'content-type': 'application/xml', ...headers },
    body: PROPERTIES,
  });
  const notice = {
    notificationType: 'SHARE_UNSHARED',
    resourceType: 'file',
    providerId: '1',
    notification: { sharedSecret: canary, message: 'x' },
  };
  return [
    look('/public.php/webdav/', asPartner),
    read('/public.php/webdav/inner.txt', asPartner),
    look('/public.php/webdav/', { authorization: basic(linkToken) }),
    look(`/remote.php/dav/public-files/${linkToken}/`),
    read(`/remote.php/dav/public-files/${linkToken}/inner.txt`),
    read(`/s/${linkToken}`),
    read(`/s/${linkToken}/download?path=%2Finner.txt`),
    { method: 'PUT', target: '/public.php/webdav/new.txt', headers: asPartner, body: 'new' },
    {
      method: 'POST',
      target: '/ocm/notifications',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(notice),
    },
    {
      method: 'POST',
      target: '/ocm/token',
      headers: { 'content-type': FORM },
      body: `grant_type=authorization_code&client_id=cloud.partner.example&code=${shareSecret}`,
    },
  ];
}

/** A request for a route of the server's table, with a value for each parameter. */
export function requestFor({ method, path }: Route, held: Held, dice: Dice): FuzzRequest {
  const places = [
    '1',
    '17',
    'alice',
    held.linkToken,
    'webdav/inner.txt',
    'dav/files/alice/x',
    '',
    'index.php',
  ];
  const target = path.replace(/:\w+|\{?\*\w*\}?/g, () => dice.of(places));
  const verb = method === 'ALL' ? dice.of(['GET', 'PROPFIND', 'PUT', 'OPTIONS']) : method;
  const withBody = ['POST', 'PUT', 'PATCH'].includes(verb);
  const isJson = dice.oneIn(2);
  return {
    method: verb,
    target,
    headers: withBody ? { 'content-type': isJson ? 'application/json' : FORM } : {},
    body: !withBody ? '' : isJson ? '{"name":"a","path":"/x"}' : 'name=a&path=%2Fx&password=b',
  };
}
