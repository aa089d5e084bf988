import {
  eventually,
  ownCloudDocument,
  replyJson,
  startFakeServer,
  type FakeServer,
} from '../../libs/testing/src';
import { hostOfAddress } from '#federation/protocol';
import { Database, HandshakeRepository, PeerTrustRepository } from '#persistence';
import { SecretBox } from '#platform';
import { Schedules } from '#queue';
import { SharingGateway } from '../sharing/sharing-gateway';
import { ENCRYPTION_KEY } from './inbound-partner';
import { AMONG_FAKES } from './outgoing-world';

const BOOK = '/remote.php/dav/addressbooks/system/system/system';
const EXCHANGE = 'federation/exchange_address_books';
const CONSENT = '/apps/provisioning_api/api/v1/config/users/federation/in_address_book';
const SECRET = 'SecretOfTheAddressBooksWith32Cha';
const secrets = new SecretBox(() => Buffer.from(ENCRYPTION_KEY, 'hex'));

interface Remote {
  readonly label: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** An organisation that agreed on a secret with the other one. */
class Organisation {
  private constructor(
    readonly people: SharingGateway,
    private readonly database: Database,
  ) {}

  static async start(): Promise<Organisation> {
    const people = await SharingGateway.start({ env: { ...AMONG_FAKES, ENCRYPTION_KEY } });
    const url = people.gateway.databaseUrl;
    return new Organisation(people, await Database.connect({ url, poolSize: 1, applicationName: 'spec' }));
  }

  async stop(): Promise<void> {
    await this.database.close();
    await this.people.stop();
  }

  get host(): string {
    return new URL(this.people.gateway.url).host;
  }

  async regard(host: string, trust: 'trusted' | 'allowed'): Promise<number> {
    const { id } = await new PeerTrustRepository(this.database).set(hostOfAddress(host), trust, 'both');
    return id;
  }

  async agreeWith(host: string, secret = SECRET): Promise<void> {
    const peerId = await this.regard(host, 'trusted');
    const rows = new HandshakeRepository(this.database);
    await rows.begin(peerId, secrets.seal('token'));
    await this.database.transaction((transaction) =>
      rows.finish(
        transaction,
        { peerId, state: 'asking' },
        { secretHmac: this.lookupOf(secret), sealedSecret: secrets.seal(secret) },
      ),
    );
  }

  /** Makes the reading of the partner's book due, and runs it. */
  async read(): Promise<void> {
    await this.people.query('UPDATE partner_address_book SET due_at = now()');
    await this.people.gateway.instance.app.nest.get(Schedules, { strict: false }).run('address-books');
  }

  async consent(uid: string, value: 'yes' | 'no'): Promise<void> {
    expect((await this.people.ocs('POST', CONSENT, uid, { value })).code).toBe(200);
  }

  async found(uid: string, search: string): Promise<{ exact: Remote[]; parts: Remote[] }> {
    const query = new URLSearchParams({ search, itemType: 'file' });
    const { data } = await this.people.ocs(
      'GET',
      `/apps/files_sharing/api/v1/sharees?${query.toString()}`,
      uid,
    );
    return { exact: data.exact.remotes, parts: data.remotes };
  }

  private lookupOf(secret: string): Buffer {
    return this.people.gateway.instance.app.nest.get(SecretBox, { strict: false }).lookup(secret);
  }
}

let here: Organisation;
let there: Organisation;

beforeAll(async () => {
  here = await Organisation.start();
  there = await Organisation.start();
  await here.people.addUsers('bob');
  await there.people.addUsers('alice', 'carol', 'dave');
  const named = (uid: string, key: string, value: string) =>
    there.people.ocs('PUT', `/cloud/users/${uid}`, 'admin', { key, value });
  for (const [uid, name] of [
    ['alice', 'Alice Liddell'],
    ['carol', 'Carol Secret'],
    ['dave', 'Dave Liddell'],
  ] as const) {
    expect((await named(uid, 'display', name)).code).toBe(200);
    expect((await named(uid, 'email', `${uid}@mail.example`)).code).toBe(200);
  }
  await here.agreeWith(there.host);
  await there.agreeWith(here.host);
}, 300_000);
afterAll(async () => {
  await here?.stop();
  await there?.stop();
});

async function report(token: string, secret = SECRET): Promise<{ status: number; text: string }> {
  const reply = await fetch(`${there.people.gateway.url}${BOOK}`, {
    method: 'REPORT',
    headers: { authorization: `Basic ${Buffer.from(`system:${secret}`).toString('base64')}` },
    body: `<?xml version="1.0"?><d:sync-collection xmlns:d="DAV:"><d:sync-token>${token}</d:sync-token><d:prop><d:getcontenttype/><d:getetag/></d:prop></d:sync-collection>`,
  });
  return { status: reply.status, text: await reply.text() };
}

const hrefs = (text: string): string[] => [...text.matchAll(/<d:href>([^<]+)</g)].map(([, href]) => href!);
const tokenIn = (text: string): string => /<d:sync-token>([^<]+)</.exec(text)![1]!;

async function card(href: string, secret = SECRET): Promise<{ status: number; text: string }> {
  const authorization = `Basic ${Buffer.from(`system:${secret}`).toString('base64')}`;
  const reply = await fetch(new URL(href, there.people.gateway.url), { headers: { authorization } });
  return { status: reply.status, text: await reply.text() };
}

it('tells nobody of an account that did not agree, or while the exchange is off', async () => {
  expect(hrefs((await report('')).text)).toEqual([]);
  await there.consent('alice', 'yes');
  expect(hrefs((await report('')).text)).toEqual([]);
  await there.people.set(EXCHANGE, 'yes');
  const [href, ...others] = hrefs((await report('')).text);
  expect(others).toEqual([]);
  const { status, text } = await card(href!);
  expect(status).toBe(200);
  expect(text).toContain('FN:Alice Liddell\r\n');
  expect(text).toContain(`CLOUD:alice@${there.host}\r\n`);
  expect(`${href}${text}`).not.toMatch(/carol|dave/);
});

it('gives each reader the changes since its token, and names nobody who is withdrawn', async () => {
  const first = tokenIn((await report('')).text);
  expect(hrefs((await report(first)).text)).toEqual([]);
  await there.consent('dave', 'yes');
  const second = await report(first);
  const [href] = hrefs(second.text);
  expect((await card(href!)).text).toContain('FN:Dave Liddell');
  await there.consent('dave', 'no');
  expect((await card(href!)).status).toBe(404);
  const third = await report(tokenIn(second.text));
  expect([hrefs(third.text), third.text.includes('404 Not Found')]).toEqual([[href], true]);
  expect(third.text).not.toContain('dave');
  expect((await report('')).text).not.toContain(href);
  await there.consent('dave', 'yes');
});

it('withdraws the card of an account that ends', async () => {
  await there.people.addUsers('erin');
  await there.consent('erin', 'yes');
  const before = await report('');
  const href = hrefs(before.text).at(-1);
  expect((await card(href!)).text).toContain('CLOUD:erin@');
  await there.people.removeUser('erin');
  expect((await card(href!)).status).toBe(404);
  const after = await report(tokenIn(before.text));
  expect([hrefs(after.text), after.text.includes('404 Not Found')]).toEqual([[href], true]);
});

it.each(['http://sabre.io/ns/sync/999999', 'data:,1', 'x'])(
  'refuses the token %s, which it did not give',
  async (token) => {
    const refused = await report(token);
    expect([refused.status, refused.text.includes('valid-sync-token')]).toEqual([403, true]);
  },
);

it('answers nothing to a wrong secret, in any way that tells cards apart', async () => {
  const [href] = hrefs((await report('')).text);
  expect((await report('', 'wrong')).status).toBe(401);
  const answers = [await card(href!, 'wrong'), await card(`${BOOK}/none.vcf`, 'wrong')];
  expect(answers[0]).toEqual(answers[1]);
  expect(answers[0]!.status).toBe(401);
});

it('people find those at a trusted server who agreed, marked as not verified', async () => {
  await here.people.set(EXCHANGE, 'yes');
  await here.read();
  await here.read();
  const alice = {
    label: 'Alice Liddell',
    value: {
      shareType: 6,
      shareWith: `alice@${there.host}`,
      server: there.host,
      verified: false,
      shareWithAdditionalInfo: 'alice@mail.example',
    },
  };
  const labels = (remotes: Remote[]) => remotes.map(({ label }) => label);
  expect((await here.found('bob', 'liddell')).parts.map(({ label }) => label)).toEqual([
    'Alice Liddell',
    'Dave Liddell',
  ]);
  expect((await here.found('bob', 'alice@mail.example')).exact).toContainEqual(alice);
  expect((await here.found('bob', `alice@${there.host}`)).exact).toEqual([alice]);
  expect(labels((await here.found('bob', 'carol')).parts)).toEqual([]);
  // Shorter than the shortest search.
  expect(labels((await here.found('bob', 'a')).parts)).toEqual([]);
});

it('follows withdrawals and new names', async () => {
  await there.consent('dave', 'no');
  await there.people.ocs('PUT', '/cloud/users/alice', 'admin', { key: 'display', value: 'Alice Hargreaves' });
  await here.read();
  expect((await here.found('bob', 'liddell')).parts).toEqual([]);
  expect((await here.found('bob', 'hargreaves')).parts).toHaveLength(1);
});

it('finds nobody while the exchange is off, and removes everybody when trust ends', async () => {
  await here.people.set(EXCHANGE, 'no');
  expect((await here.found('bob', 'hargreaves')).parts).toEqual([]);
  await here.people.set(EXCHANGE, 'yes');
  expect((await here.found('bob', 'hargreaves')).parts).toHaveLength(1);
  await here.regard(there.host, 'allowed');
  expect((await here.found('bob', 'hargreaves')).parts).toEqual([]);
  await here.read();
  expect(await here.people.query('SELECT FROM partner_address_card')).toEqual([]);
});

describe('the book of a partner with bad intent', () => {
  let partner: FakeServer;
  const cards: Record<string, string> = {};
  let listing = '';

  beforeAll(async () => {
    partner = await startFakeServer((request, response) => {
      if (request.path === '/ocm-provider/')
        return replyJson(response, 200, ownCloudDocument(`${partner.url}/ocm`));
      const text = request.path === BOOK ? listing : cards[request.path.split('/').at(-1)!];
      if (text === undefined) return replyJson(response, 404, {});
      response.writeHead(request.path === BOOK ? 207 : 200, { 'content-type': 'application/xml' }).end(text);
    });
    await here.agreeWith(new URL(partner.url).host);
  });
  afterAll(() => partner.close());

  it('names only its own people, leads nowhere else, and is asked as ownCloud asks', async () => {
    const { host } = new URL(partner.url);
    cards['own.vcf'] = `BEGIN:VCARD\nFN:Honest Olga\nCLOUD:olga@${host}\nEND:VCARD`;
    cards['eve.vcf'] = 'BEGIN:VCARD\nFN:Evil Olga\nCLOUD:olga@bank.example\nEND:VCARD';
    const entry = (href: string): string =>
      `<d:response><d:href>${href}</d:href><d:propstat><d:prop><d:getetag>"1"</d:getetag></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`;
    listing = `<d:multistatus xmlns:d="DAV:">${entry(`${BOOK}/own.vcf`)}${entry(`${BOOK}/eve.vcf`)}${entry(
      'http://169.254.169.254/latest/meta-data.vcf',
    )}${entry(`${BOOK}/../../../../web/settings.vcf`)}<d:sync-token>t1</d:sync-token></d:multistatus>`;
    await here.read();
    await here.read();
    await eventually('the person', async () => (await here.found('bob', 'olga')).parts.length > 0);
    expect((await here.found('bob', 'olga')).parts.map(({ label }) => label)).toEqual(['Honest Olga']);
    const asked = partner.requests.filter(({ path }) => path.startsWith('/remote.php'));
    expect([...new Set(asked.map(({ method, path }) => `${method} ${path}`))]).toEqual([
      `REPORT ${BOOK}`,
      ...['own', 'eve', 'meta-data', 'settings'].map((name) => `GET ${BOOK}/${name}.vcf`),
    ]);
    for (const { headers } of asked)
      expect(headers.authorization).toBe(`Basic ${Buffer.from(`system:${SECRET}`).toString('base64')}`);
    await here.read();
    const reports = partner.requests.filter(({ method }) => method === 'REPORT');
    expect(reports.at(-1)!.body).toContain('<d:sync-token>t1</d:sync-token>');
  });

  it('that sends nonsense, changes nothing and is noted without the secret', async () => {
    for (const text of [
      '<not xml',
      '<a/>',
      '<!DOCTYPE x [<!ENTITY y "z">]><d:multistatus xmlns:d="DAV:"/>',
    ]) {
      listing = text;
      await here.read();
      const [book] = await here.people.query<{ error: string }>(
        `SELECT b.error FROM partner_address_book b JOIN peer p ON p.id = b.peer_id WHERE p.host_key = $1`,
        [new URL(partner.url).host],
      );
      expect(book!.error).toBe('its answer is not a list of changes');
    }
    expect((await here.found('bob', 'olga')).parts).toHaveLength(1);
  });
});

it('keeps the secret of the partner only encrypted', async () => {
  const rows = await here.people.query('SELECT h::text FROM trusted_handshake h');
  expect(rows.length).toBeGreaterThan(0);
  expect(JSON.stringify(rows)).not.toContain(SECRET);
  expect(JSON.stringify(rows)).not.toContain(Buffer.from(SECRET).toString('hex'));
});
