import {
  createTestDatabase,
  eventually,
  startDavPartner,
  type DavFault,
  type DavPartner,
  type DavShare,
  type TestDatabase,
} from '#testing';
import { SharingWorld } from '../api/sharing-world';
import { PASSWORD } from '../edge/edge-client';
import { AMONG_FAKES } from './outgoing-world';

const REMOTE_SHARES = '/apps/files_sharing/api/v1/remote_shares';
const CONTENT = 'whole content of the file, to its last word';
/** Result of a fetch whose reply broke off. */
const BROKEN = 'broken off';

let test: TestDatabase;
let world: SharingWorld;
let bad: DavPartner;
let good: DavPartner;
let silent: DavPartner;
/** Observation of the silent partner; it runs during the other tests because it takes long. */
let silence: Promise<Silence>;
let share: DavShare;
/** Place of the share in bob's tree. */
let mount: string;
/** Time in seconds before the share of the test existed, so that no failure of it can be older. */
let beforeShare: number;
let received = 0;
const AUTHORIZATION = `Basic ${Buffer.from(`bob:${PASSWORD}`).toString('base64')}`;

interface Seen {
  readonly status: number;
  readonly body: string;
}

async function dav(method: string, path: string, init: RequestInit = {}): Promise<Seen> {
  const reply = await request(method, path, init);
  const body = await reply.text().catch(() => BROKEN);
  return { status: reply.status, body };
}

function request(method: string, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: AUTHORIZATION, ...(init.headers as Record<string, string>) };
  const url = `${world.gateway.url}/remote.php/webdav${encodeURI(path)}`;
  return fetch(url, { method, ...init, headers });
}

/** Names in a folder; the status if it cannot be listed. */
async function listed(path: string): Promise<string[] | number> {
  return namesIn(await request('PROPFIND', path, { headers: { depth: '1' } }));
}

async function namesIn(listing: Response): Promise<string[] | number> {
  const [{ status }, body] = [listing, await listing.text()];
  if (status !== 207) return status;
  const hrefs = [...body.matchAll(/<d:href>(.*?)<\/d:href>/g)].map((match) => decodeURIComponent(match[1]!));
  return hrefs.slice(1).map((href) => href.replace(/\/$/, '').split('/').at(-1)!);
}

/** A partner's server offers a folder to bob, who accepts it as `/{name}`. */
async function receive(partner: DavPartner, name: string): Promise<DavShare> {
  const offered = partner.share(`id-of-${name}`);
  const from = `alice@${partner.url}`;
  const body = {
    shareWith: `bob@${new URL(world.gateway.url).host}`,
    name,
    providerId: offered.providerId,
    owner: from,
    sender: from,
    shareType: 'user',
    resourceType: 'folder',
    protocol: { name: 'webdav', options: { sharedSecret: offered.secret } },
  };
  const headers = { 'content-type': 'application/json' };
  const url = `${world.gateway.url}/ocm/shares`;
  const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (reply.status !== 201) throw new Error(`the offer: HTTP ${reply.status} ${await reply.text()}`);
  const { data } = await world.must('GET', `${REMOTE_SHARES}/pending`, { as: 'bob' });
  const [{ id }] = data as [{ id: number }];
  await world.must('POST', `${REMOTE_SHARES}/pending/${id}`, { as: 'bob' });
  return offered;
}

async function unreachableSince(mountpoint = mount): Promise<unknown> {
  const { data } = await world.must('GET', REMOTE_SHARES, { as: 'bob' });
  return (data as Record<string, unknown>[]).find((one) => one.mountpoint === mountpoint)!.unreachable_since;
}

/** The names in a folder, and the requests to its partner that have the id of this listing's request. */
interface ProbeResult {
  readonly names: string[] | number;
  readonly asked: readonly unknown[];
}

async function probe(path: string): Promise<ProbeResult> {
  const reply = await request('PROPFIND', path, { headers: { depth: '1' } });
  const [id, names] = [reply.headers.get('x-request-id'), await namesIn(reply)];
  return { names, asked: silent.requests.filter(({ headers }) => headers['x-request-id'] === id) };
}

/** Keeps the gate shut during the test, from the moment at which the product shut it. */
const GATE_STAYS_CLOSED = `
  WITH given_up AS (
    UPDATE received_share SET content_shut_until = now() + interval '1 hour'
     WHERE name = 'silent' AND unreachable_since IS NOT NULL AND content_shut_until IS NOT NULL
    RETURNING id)
  SELECT id FROM given_up`;

interface Silence {
  readonly above: ProbeResult;
  readonly inside: ProbeResult;
  /** Time at which it was given up. */
  readonly since: unknown;
  readonly afterwards: ProbeResult;
}

async function meetSilence(): Promise<Silence> {
  silent.misbehave('hang');
  const above = await probe('/');
  const inside = await probe('/silent');
  const isGivenUp = async (): Promise<boolean> =>
    (await test.database.dataSource.query<unknown[]>(GATE_STAYS_CLOSED)).length > 0;
  await eventually('the gate of the silent share is shut', isGivenUp);
  const since = await unreachableSince('/silent');
  return { above, inside, since, afterwards: await probe('/silent') };
}

beforeAll(async () => {
  test = await createTestDatabase({ poolSize: 1 });
  world = await SharingWorld.start({
    compatibility: 'owncloud10',
    databaseUrl: test.url,
    env: AMONG_FAKES,
  });
  await world.addUser('bob');
  await world.put('bob', '/own.txt');
  [bad, good, silent] = [await startDavPartner(), await startDavPartner(), await startDavPartner()];
  const other = await receive(good, 'good');
  other.tree.file('/fine.txt', 'fine');
  const third = await receive(silent, 'silent');
  third.tree.file('/file.txt', CONTENT);
  expect(await listed('/silent')).toEqual(['file.txt']);
  silence = meetSilence();
  // The test that awaits it reports its failure.
  silence.catch(() => undefined);
});
afterAll(async () => {
  await world.stop();
  await test.drop();
  await Promise.all([bad.close(), good.close(), silent.close()]);
});

/** Every test has its own share, because the state of the partner in the test before belongs to another share. */
beforeEach(async () => {
  bad.misbehave(null);
  const name = `bad-${(received += 1)}`;
  mount = `/${name}`;
  beforeShare = Math.floor(Date.now() / 1000);
  share = await receive(bad, name);
  share.tree.file('/file.txt', CONTENT);
  expect(await listed(mount)).toEqual(['file.txt']);
});

/** Other users' files are unchanged, even with a bad partner. */
afterEach(async () => {
  expect(await listed('/')).toEqual(expect.arrayContaining([mount.slice(1), 'good', 'own.txt']));
  expect(await listed('/good')).toEqual(['fine.txt']);
  expect(await dav('GET', '/good/fine.txt')).toEqual({ status: 200, body: 'fine' });
  expect(await dav('GET', '/own.txt')).toEqual({ status: 200, body: 'content' });
});

const READ_FAULTS: readonly DavFault[] = [
  401,
  403,
  404,
  500,
  503,
  'cut halfway',
  'half a file',
  'HTML with 200',
  'redirect',
  'gzip bomb',
];

describe.each(READ_FAULTS)('a partner that answers a reader with: %s', (fault) => {
  it('never causes a part of a file to be served as a whole, and loses nothing', async () => {
    bad.misbehave(fault, 'GET');
    const seen = await dav('GET', `${mount}/file.txt`);
    if (seen.status < 400) expect(seen).toEqual({ status: 200, body: BROKEN });
    const part = await dav('GET', `${mount}/file.txt`, { headers: { range: 'bytes=2-20' } });
    if (part.status < 400) expect([BROKEN, CONTENT.slice(2, 21)]).toContain(part.body);
    expect(await listed(mount)).toEqual(['file.txt']);
    bad.misbehave(null);
    expect(await dav('GET', `${mount}/file.txt`)).toEqual({ status: 200, body: CONTENT });
  });
});

const WRITE_FAULTS: readonly DavFault[] = [
  401,
  403,
  404,
  500,
  503,
  'cut halfway',
  'HTML with 200',
  'redirect',
];

describe.each(WRITE_FAULTS)(
  'a partner that answers a writer with this, if writes are not stored: %s',
  (fault) => {
    beforeAll(() => world.set('files', 'store_partner_writes', 'no'));
    afterAll(() => world.unset('files', 'store_partner_writes'));

    it.each([
      ['a new file', 'new.txt'],
      ['a file that is there', 'file.txt'],
    ])('reports a failed write, and shows the partner’s content: %s', async (_what, name) => {
      bad.misbehave(fault, 'PUT');
      const { status } = await dav('PUT', `${mount}/${name}`, { body: 'n'.repeat(200_000) });
      expect(status).toBeGreaterThanOrEqual(400);
      expect(await listed(mount)).toEqual(['file.txt']);
      bad.misbehave(null);
      expect(await dav('GET', `${mount}/file.txt`)).toEqual({ status: 200, body: CONTENT });
      expect((await dav('GET', `${mount}/new.txt`)).status).toBe(404);
      bad.misbehave('cut halfway', 'PROPFIND');
      expect(await listed(mount)).toEqual(['file.txt']);
    });
  },
);

/** Answers that leave open whether the partner will take the content later. */
const OPEN_FAULTS: readonly DavFault[] = [401, 500, 503, 'cut halfway'];

describe.each(OPEN_FAULTS)('a partner that answers a writer with this, if writes are stored: %s', (fault) => {
  it('gets the stored content later, and the writer sees their own content', async () => {
    const partner = await startDavPartner();
    try {
      const name = `kept-${(received += 1)}`;
      const there = await receive(partner, name);
      there.tree.file('/file.txt', CONTENT);
      expect(await listed(`/${name}`)).toEqual(['file.txt']);
      partner.misbehave(fault, 'PUT');
      expect(await dav('PUT', `/${name}/file.txt`, { body: 'mine' })).toEqual({ status: 204, body: '' });
      expect(await dav('PUT', `/${name}/new.txt`, { body: 'new' })).toEqual({ status: 201, body: '' });
      expect(await dav('GET', `/${name}/file.txt`)).toEqual({ status: 200, body: 'mine' });
      expect(await dav('GET', `/${name}/new.txt`)).toEqual({ status: 200, body: 'new' });
      expect(await listed(`/${name}`)).toEqual(['file.txt', 'new.txt']);
    } finally {
      await partner.close();
    }
  });
});

const LIST_FAULTS: readonly DavFault[] = [
  401,
  403,
  404,
  500,
  503,
  'cut halfway',
  'HTML with 200',
  'HTML with 207',
  'redirect',
  'broken XML',
  'entities',
  'gzip bomb',
];

describe.each(LIST_FAULTS)('a partner that answers a listing with: %s', (fault) => {
  it('does not change the known listing, which has the time of the failure', async () => {
    expect(await unreachableSince()).toBeNull();
    bad.misbehave(fault, 'PROPFIND');
    for (const _ of [1, 2, 3]) expect(await listed(mount)).toEqual(['file.txt']);
    expect(await unreachableSince()).toBeGreaterThanOrEqual(beforeShare);
    expect((await dav('GET', `${mount}/file.txt`)).body).toBe(CONTENT);
  });
});

describe('a received share whose partner does not answer', () => {
  it('is listed in its known state, and its partner gets no requests while its gate is shut', async () => {
    const { above, inside, since, afterwards } = await silence;
    expect(above).toEqual({ names: expect.arrayContaining(['silent', 'good', 'own.txt']), asked: [] });
    expect(inside.names).toEqual(['file.txt']);
    expect(inside.asked).not.toEqual([]);
    expect(since).toEqual(expect.any(Number));
    expect(afterwards).toEqual({ names: ['file.txt'], asked: [] });
  });
});
