import { basicAuth } from '../../libs/testing/src/basic-auth';
import { MANIFEST } from '../shapes/manifest';
import { InboundPartner } from './inbound-partner';
import { readOpenCloudReply, readServerExchanges, type ServerExchange } from './server-exchange';

const FILE = { id: 901, secret: 'SecretOfTheFile' };
const FOLDER = { id: 902, secret: 'SecretOfTheFolder' };
const READ_ONLY = { id: 903, secret: 'SecretOfWhatIsReadOnly' };

const { compared, exempt } = MANIFEST['federation']!;
const asksForContent = ({ path }: ServerExchange): boolean => path.startsWith('/public.php/webdav/');
const recordings = [...compared, ...Object.values(exempt).flat()].filter(
  (name) => name.endsWith('.s2s.txt') && readServerExchanges(name).some(asksForContent),
);

let partner: InboundPartner;

beforeAll(async () => {
  partner = await InboundPartner.start();
  const { gateway } = partner;
  await gateway.store('alice', '/Shared/', '/Read only/');
  await gateway.dav('PUT', 'alice', '/plan.txt', {}, 'nine byte');
  await gateway.dav('PUT', 'alice', '/Shared/in.txt', {}, 'nine byte');
  await partner.sentShareOf('/plan.txt', FILE.id, FILE.secret);
  await partner.sentShareOf('/Shared', FOLDER.id, FOLDER.secret);
  await partner.sentShareOf('/Read only', READ_ONLY.id, READ_ONLY.secret);
  await gateway.query('UPDATE share SET permissions = 19 WHERE id = $1', [FILE.id]);
  await gateway.query('UPDATE share SET permissions = 1 WHERE id = $1', [READ_ONLY.id]);
});
afterAll(() => partner?.stop());

/** Recordings do not show the owner of a secret; the returned content does. */
function secretOf({ path, replyBody, status }: ServerExchange): string {
  if (/share-permissions[^>]*>1</.test(replyBody)) return READ_ONLY.secret;
  const isInFolder = path !== '/public.php/webdav/' || replyBody.includes('<d:collection/>');
  return isInFolder || status !== 207 ? FOLDER.secret : FILE.secret;
}

/** Without values that differ on every server. */
const comparable = (multistatus: string): string =>
  multistatus
    .trim()
    .replace(/<d:getetag>&quot;\w+&quot;</g, '<d:getetag>an etag<')
    .replace(/<d:getlastmodified>[^<]+ GMT</g, '<d:getlastmodified>a time<')
    // R is the permission to share; ownCloud sends it here without that permission, as the number next to it shows.
    // Ours is G, for reading.
    .replace('<oc:permissions>R</oc:permissions>', '<oc:permissions>G</oc:permissions>');

const hrefsOf = (multistatus: string): string[] => multistatus.match(/<d:href>[^<]*/g) ?? [];

async function replay(exchange: ServerExchange, secret: string) {
  const { method, path, contentType, depth, body } = exchange;
  const headers = {
    authorization: basicAuth(secret, ''),
    ...(contentType === '' ? {} : { 'content-type': contentType }),
    ...(depth === '' ? {} : { depth }),
  };
  const init = { method, headers, ...(body === '' ? {} : { body }) };
  const reply = await fetch(partner.url + path, init);
  return { status: reply.status, text: await reply.text() };
}

it.each(recordings)('requests of %s for content are answered as recorded', async (name) => {
  for (const exchange of readServerExchanges(name).filter(asksForContent)) {
    const isFileRead = exchange.method === 'GET' && exchange.path === '/public.php/webdav/';
    const { status, text } = await replay(exchange, isFileRead ? FILE.secret : secretOf(exchange));
    expect([exchange.path, status]).toEqual([exchange.path, exchange.status]);
    if (status !== 207) continue;
    // Without requested properties, ownCloud sends the usual ones, and its own client ignores them.
    if (/<d:prop\/>/.test(exchange.body)) expect(hrefsOf(text)).toEqual(hrefsOf(exchange.replyBody));
    else expect(comparable(text)).toBe(comparable(exchange.replyBody));
  }
});

it('content written by a recorded request is stored, and its owner sees it', async () => {
  const reply = await partner.gateway.dav('GET', 'alice', '/Shared/new.txt');
  expect(reply).toBe(200);
});

/** The requests of C1 to C10 with our shares, instead of OpenCloud's. */
describe('requests that OpenCloud answers as owner', () => {
  const ask = async (
    method: string,
    path: string,
    authorization?: string,
    body?: string,
  ): Promise<number> => {
    const headers = { depth: '0', ...(authorization === undefined ? {} : { authorization }) };
    return (await fetch(partner.url + path, { method, headers, body })).status;
  };
  const bearer = ({ secret }: typeof FILE): string => `Bearer ${secret}`;

  it.each([
    ['C1-dav-propfind-file-bearer.http', 'PROPFIND', `/dav/ocm/${FILE.id}`, bearer(FILE)],
    ['C2-dav-get-file-bearer.http', 'GET', `/dav/ocm/${FILE.id}`, bearer(FILE)],
    ['C4-dav-get-remote.php.http', 'GET', `/remote.php/dav/ocm/${FILE.id}`, bearer(FILE)],
    ['C5-dav-propfind-folder.http', 'PROPFIND', `/dav/ocm/${FOLDER.id}`, bearer(FOLDER)],
    ['C6-dav-get-in-folder.http', 'GET', `/dav/ocm/${FOLDER.id}/in.txt`, bearer(FOLDER)],
    ['C7-dav-put-in-folder.http', 'PUT', `/dav/ocm/${FOLDER.id}/from-partner.txt`, bearer(FOLDER)],
    ['C8-dav-put-readonly.http', 'PUT', `/dav/ocm/${READ_ONLY.id}/from-partner.txt`, bearer(READ_ONLY)],
  ])('%s', async (name, method, path, authorization) => {
    const body = method === 'PUT' ? 'written' : undefined;
    expect(await ask(method, path, authorization, body)).toBe(readOpenCloudReply(name).status);
  });

  it('accepts the secret as user name, and answers a wrong or missing secret with 401 instead of 500', async () => {
    expect(await ask('GET', `/dav/ocm/${FILE.id}`, basicAuth(FILE.secret, ''))).toBe(200);
    expect(await ask('GET', `/dav/ocm/${FILE.id}`, 'Bearer ThisWillNeverExist')).toBe(401);
    expect(await ask('GET', `/dav/ocm/${FILE.id}`)).toBe(401);
  });
});

it('the first request for content marks the shares as accepted', async () => {
  const rows = await partner.gateway.query(
    'SELECT DISTINCT acceptance, acceptance_source AS source FROM share WHERE id BETWEEN $1 AND $2',
    [FILE.id, READ_ONLY.id],
  );
  expect(rows).toEqual([{ acceptance: 'accepted', source: 'access' }]);
});
