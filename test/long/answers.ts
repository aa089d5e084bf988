import type { Route } from '../edge/route-table';
import { REQUESTERS, LINK_PASSWORD } from './backup-world';

/** Answers by request: by caller, method and target. */
export type Answers = ReadonlyMap<string, string>;

/** Headers that belong to a moment or a connection, not to stored data. */
const VOLATILE_HEADERS = ['date', 'x-request-id', 'connection', 'keep-alive'];

/**
 * The first address lists refused calls, and some of these requests are refused. The second creates an app password,
 * and the third a new secret for each request.
 */
const CHANGED_BY_QUESTIONS = ['/apps/audit/', '/core/getapppassword', '/second-factor/proposal'];
/** The present state of the instance. */
const OF_THE_MOMENT = ['/drawbridge/api/v1/operation'];
const LEFT_OUT = [...CHANGED_BY_QUESTIONS, ...OF_THE_MOMENT];
/** Each request is a sign-in, which changes this time. */
const LAST_LOGIN = /(?<=last_login\W+)\d+/g;

const VALUES: Readonly<Record<string, readonly string[]>> = {
  id: Array.from({ length: 12 }, (_, index) => String(index + 1)),
  uid: ['admin', 'alice', 'bob', 'carol', 'nobody'],
  gid: ['admin', 'staff', 'none'],
  name: ['icon.svg', 'none'],
  user: ['alice', 'nobody'],
  file: ['64.png'],
  size: ['64'],
  app: ['core', 'files_sharing', 'files'],
  key: ['shareapi_default_expire_date', 'shareapi_auto_accept_share', 'auto_accept_share'],
  list: [
    ...[
      'shares',
      'ended-shares',
      'unanswered-shares',
      'reports',
      'quarantine',
      'stored-writes',
      'scim-clients',
    ],
    ...[
      'directory',
      'directory-services',
      'signing-keys',
      'kept-files',
      'identity',
      'secrets',
      'capabilities',
      'app-passwords',
      'second-factor',
      'contacts',
      'invitations',
      'none',
    ],
  ],
};

/** Queries of a list, in addition to its address without a query. */
const QUERIES: readonly (readonly [path: RegExp, queries: readonly string[]])[] = [
  [
    /files_sharing\/api\/v1\/shares$/,
    [
      'shared_with_me=true',
      'shared_with_me=true&state=all',
      'reshares=true&path=/plans',
      'path=/plans&subfiles=true',
    ],
  ],
  [/sharees$/, ['search=a&itemType=file', 'search=dora@&itemType=folder']],
  [/partners$/, ['host=cloud.example.org']],
  [/lists\/:list$/, ['uid=alice']],
];

/** Trees that are listed completely; `:uid` is the caller. */
const TREES = ['/remote.php/webdav', '/remote.php/dav/files/:uid', '/dav/files/:uid', '/remote.php/dav'];

/**
 * Sends all reading requests as every caller: each GET of the route table with all possible ids, and listings and
 * contents of all files.
 */
export async function answersOf(
  url: string,
  routes: readonly Route[],
  tokens: readonly string[],
): Promise<Answers> {
  const answers = new Map<string, string>();
  for (const { uid, headers } of REQUESTERS) {
    const ask = async (method: string, target: string, more = {}, body?: string): Promise<string> => {
      const text = await answerTo(url, method, target, { ...headers, ...more }, body);
      answers.set(`${uid} ${method} ${target} ${JSON.stringify(more)}`.trim(), text);
      return text;
    };
    for (const target of targetsOf(routes, tokens)) await ask('GET', target);
    await ask('REPORT', '/remote.php/dav/addressbooks/system/system/system');
    for (const tree of TREES) await listTree(tree.replace(':uid', uid || 'alice'), ask);
  }
  await askLinks(url, tokens, answers);
  return answers;
}

function targetsOf(routes: readonly Route[], tokens: readonly string[]): string[] {
  const read = routes.filter(
    ({ method, path }) =>
      method === 'GET' && !path.includes('*') && !LEFT_OUT.some((part) => path.includes(part)),
  );
  const values = { ...VALUES, token: tokens };
  return read.flatMap(({ path }) => {
    const queries = ['', ...QUERIES.flatMap(([pattern, texts]) => (pattern.test(path) ? texts : []))];
    // Both versions give the same answers: the first one is requested in one format, the second one in the other.
    const format = path.startsWith('/ocs/v2.php') ? 'format=json&' : '';
    return filled(path, values).flatMap((target) => queries.map((query) => `${target}?${format}${query}`));
  });
}

function filled(path: string, values: Readonly<Record<string, readonly string[]>>): string[] {
  const name = /:(\w+)/.exec(path)?.[1];
  if (name === undefined) return [path];
  const known = values[name];
  if (!known) throw new Error(`nothing is known to fill ${path} with`);
  return known.flatMap((value) => filled(path.replace(`:${name}`, value), values));
}

const LISTED = { depth: '1', 'content-type': 'application/xml' };
const ALL_PROPERTIES = `<?xml version="1.0"?>
<d:propfind xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns"><d:allprop/><d:include>
  <oc:id/><oc:fileid/><oc:favorite/><oc:permissions/><oc:size/><oc:owner-id/><oc:share-types/><oc:checksums/>
</d:include></d:propfind>`;

async function listTree(
  target: string,
  ask: (
    method: string,
    target: string,
    more?: Readonly<Record<string, string>>,
    body?: string,
  ) => Promise<string>,
): Promise<void> {
  const listing = await ask('PROPFIND', target, LISTED, ALL_PROPERTIES);
  // Properties contain addresses too, some of them the address of the entry itself.
  const hrefs = [...listing.matchAll(/<d:response><d:href>([^<]*)<\/d:href>/g)].map((match) => match[1]!);
  for (const href of hrefs.slice(1))
    if (href.endsWith('/')) await listTree(href, ask);
    else await ask('GET', href);
}

async function askLinks(url: string, tokens: readonly string[], answers: Map<string, string>): Promise<void> {
  for (const token of tokens) {
    const authorization = `Basic ${Buffer.from(`${token}:${LINK_PASSWORD}`).toString('base64')}`;
    for (const [method, target] of [
      ['PROPFIND', '/public.php/webdav/'],
      ['GET', '/public.php/webdav/'],
      ['PROPFIND', `/remote.php/dav/public-files/${token}`],
    ] as const)
      answers.set(
        `${token} ${method} ${target}`,
        await answerTo(url, method, target, { authorization, depth: '1' }),
      );
  }
}

async function answerTo(
  url: string,
  method: string,
  target: string,
  headers: Readonly<Record<string, string>>,
  asked?: string,
): Promise<string> {
  const reply = await fetch(url + target, { method, headers, body: asked, redirect: 'manual' });
  const kept = [...reply.headers].filter(([name]) => !VOLATILE_HEADERS.includes(name));
  const body = (await reply.text()).replace(LAST_LOGIN, '');
  return `${reply.status}\n${kept.map((header) => header.join(': ')).join('\n')}\n\n${body}`;
}

/** Requests with different answers: pairs of answers, by request. */
export function differencesOf(before: Answers, after: Answers): Record<string, readonly [string?, string?]> {
  const asked = new Set([...before.keys(), ...after.keys()]);
  return Object.fromEntries(
    [...asked]
      .filter((question) => before.get(question) !== after.get(question))
      .map((question) => [question, [before.get(question), after.get(question)]]),
  );
}
