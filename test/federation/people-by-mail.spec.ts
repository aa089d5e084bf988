import WebFinger from 'webfinger.js';
import { eventually, replyJson, startFakeServer, type FakeServer } from '../../libs/testing/src';
import { Schedules } from '#queue';
import { SharingGateway } from '../sharing/sharing-gateway';
import { AMONG_FAKES } from './outgoing-world';

const CONSENT = '/apps/provisioning_api/api/v1/config/users/federation/found_by_mail';
const MAIL = 'alice.l@mail.example';

interface Remote {
  readonly label: string;
  readonly value: Readonly<Record<string, unknown>>;
}

let here: SharingGateway;
let there: SharingGateway;
let domain: FakeServer;
let answer: { readonly status: number; readonly location?: string; readonly body?: unknown };
let searches = 0;

const hostOf = (url: string): string => new URL(url).host;
const aliceThere = (): string => `alice@${hostOf(there.gateway.url)}`;

async function found(search: string, uid = 'bob'): Promise<Remote[]> {
  const query = new URLSearchParams({ search, itemType: 'file' });
  const { data } = await here.ocs('GET', `/apps/files_sharing/api/v1/sharees?${query.toString()}`, uid);
  return data.exact.remotes;
}

/** The result after the server of the address answered, however long that took. */
async function foundInTheEnd(search: string): Promise<Remote[]> {
  await found(search);
  await allAnswered();
  return found(search);
}

const allAnswered = () =>
  eventually('the answers of all servers', async () => {
    const waiting = await here.query(`SELECT FROM mail_lookup WHERE state = 'waiting'`);
    return waiting.length === 0;
  });

/** An address at the domain of the fake server that nobody searched for yet. */
const freshAddress = (): string => `somebody${(searches += 1)}@mail.other`;

async function mailOf(uid: string, email: string): Promise<void> {
  const form = { key: 'email', value: email };
  expect((await there.ocs('PUT', `/cloud/users/${uid}`, 'admin', form)).code).toBe(200);
}
const agree = (uid: string) => there.ocs('POST', CONSENT, uid, { value: 'yes' });
const ask = (resource: string, more = ''): Promise<Response> =>
  fetch(`${there.gateway.url}/.well-known/webfinger?resource=${encodeURIComponent(resource)}${more}`);

beforeAll(async () => {
  here = await SharingGateway.start({ env: AMONG_FAKES });
  there = await SharingGateway.start({ env: AMONG_FAKES });
  domain = await startFakeServer((_request, response) => {
    if (answer.location) response.setHeader('location', answer.location);
    replyJson(response, answer.status, answer.body ?? {});
  });
  await here.addUsers('bob', 'carol');
  await there.addUsers('alice', 'mallory', 'twin');
  await mailOf('alice', 'Alice.L@mail.example');
  const servers = [`mail.example=${hostOf(there.gateway.url)}`, `mail.other=${hostOf(domain.url)}`];
  await here.set('federation/mail_servers', JSON.stringify(servers));
}, 300_000);
afterAll(() => Promise.all([here?.stop(), there?.stop(), domain?.close()]));

const typed = (cloudId: string) => ({ label: cloudId, value: { shareType: 6, shareWith: cloudId } });

it('is off at both ends until their operators allow it', async () => {
  await agree('alice');
  expect((await ask(`acct:${MAIL}`)).status).toBe(404);
  expect(await found(MAIL)).toEqual([typed(MAIL)]);
  expect(await here.query('SELECT FROM mail_lookup')).toEqual([]);
});

describe('a person who agreed to be found by their whole mail address', () => {
  beforeAll(async () => {
    await there.set('federation/answer_webfinger', 'yes');
    await there.set('system/allow_user_to_change_mail_address', 'no');
    await here.set('federation/find_by_mail', 'yes');
  });

  it('is found by people of another instance, who share with them', async () => {
    const [remote, ...more] = await foundInTheEnd('Alice.L@Mail.Example');
    expect(more).toEqual([]);
    expect(remote).toEqual({
      label: aliceThere(),
      value: {
        ...{ shareType: 6, shareWith: aliceThere(), server: hostOf(there.gateway.url) },
        ...{ verified: false, shareWithAdditionalInfo: MAIL },
      },
    });
    await here.dav('PUT', 'bob', '/for-alice.txt', {}, 'found');
    const shared = await here.share('bob', {
      ...{ path: '/for-alice.txt', shareType: '6', shareWith: String(remote!.value.shareWith) },
    });
    expect(shared.code).toBe(200);
    await eventually('the offer', async () => {
      const { data } = await there.ocs('GET', '/apps/files_sharing/api/v1/remote_shares/pending', 'alice');
      return data.length === 1;
    });
  });

  it('is asked for once, for all people, while the result counts', async () => {
    const [before] = await here.query<{ id: string }>('SELECT id FROM mail_lookup WHERE mail = $1', [MAIL]);
    expect(await found(MAIL, 'carol')).toHaveLength(1);
    expect(await here.query('SELECT id FROM mail_lookup WHERE mail = $1', [MAIL])).toEqual([before]);
    await here.query(`UPDATE mail_lookup SET expires_at = now() - interval '1 second'`);
    expect((await foundInTheEnd(MAIL))[0]!.value.shareWith).toBe(aliceThere());
    const [after] = await here.query<{ id: string }>('SELECT id FROM mail_lookup WHERE mail = $1', [MAIL]);
    expect(after!.id).not.toBe(before!.id);
  });

  it('is not found by a part of the address, and no server is asked for one', async () => {
    const known = await here.query('SELECT mail FROM mail_lookup');
    for (const part of ['alice.l', 'alice.l@', 'alice.l@mail', 'alice', '@mail.example', '%@mail.example/'])
      expect((await found(part)).filter(({ value }) => value.server !== undefined)).toEqual([]);
    expect(await here.query('SELECT mail FROM mail_lookup')).toEqual(known);
    for (const part of [
      'alice@mail.example',
      'alice.l@mail.exampl',
      '%@mail.example',
      'alice._@mail.example',
    ])
      expect((await ask(`acct:${part}`)).status).toBe(404);
  });

  it('is read by a client that others wrote', async () => {
    const direct = globalThis.fetch;
    const toOurs = jest.spyOn(globalThis, 'fetch').mockImplementation((url, init) => {
      const address = new URL(url);
      expect(address.origin).toBe('https://mail.example');
      return direct(`${there.gateway.url}${address.pathname}${address.search}`, init);
    });
    try {
      const client = new WebFinger({ allow_private_addresses: true, uri_fallback: false });
      const { object } = await client.lookup(MAIL);
      expect(object).toEqual({
        subject: `acct:${MAIL}`,
        aliases: [`acct:alice@${hostOf(there.gateway.url)}`],
        links: [
          {
            rel: 'urn:drawbridge:federated-cloud-id',
            href: `${there.gateway.url}/`,
            properties: { 'urn:drawbridge:federated-cloud-id': `alice@${hostOf(there.gateway.url)}` },
          },
        ],
      });
      await expect(client.lookup('nobody@mail.example')).rejects.toThrow();
    } finally {
      toOurs.mockRestore();
    }
  });

  it('is named only to requests for that relation, or for all', async () => {
    const links = async (rel: string) =>
      ((await (await ask(`acct:${MAIL}`, `&rel=${encodeURIComponent(rel)}`)).json()) as { links: unknown[] })
        .links;
    expect(await links('urn:drawbridge:federated-cloud-id')).toHaveLength(1);
    expect(await links('self')).toEqual([]);
  });

  it('is nobody for the rest of the world once they, or an administrator, withdraw it', async () => {
    const stranger = await ask('acct:nobody@mail.example');
    const [status, text] = [stranger.status, await stranger.text()];
    const isNobody = async (): Promise<void> => {
      const reply = await ask(`acct:${MAIL}`);
      expect([reply.status, await reply.text()]).toEqual([status, text]);
    };
    await there.ocs('POST', CONSENT, 'alice', { value: 'no' });
    await isNobody();
    await agree('alice');
    expect((await ask(`acct:${MAIL}`)).status).toBe(200);
    await there.ocs('PUT', '/cloud/users/alice/disable', 'admin');
    await isNobody();
    await there.ocs('PUT', '/cloud/users/alice/enable', 'admin');
    await there.set('files_sharing/incoming_server2server_share_enabled', 'no');
    await isNobody();
    await there.unset('files_sharing/incoming_server2server_share_enabled');
    expect((await ask(`acct:${MAIL}`)).status).toBe(200);
  });

  it('is not replaced by somebody who takes their address', async () => {
    await agree('mallory');
    await mailOf('mallory', 'victim@mail.example');
    expect((await ask('acct:victim@mail.example')).status).toBe(200);
    await there.set('system/allow_user_to_change_mail_address', 'yes');
    expect((await ask('acct:victim@mail.example')).status).toBe(404);
    await there.set('system/allow_user_to_change_mail_address', 'no');
    await mailOf('twin', 'Victim@mail.example');
    expect((await ask('acct:victim@mail.example')).status).toBe(404);
  });
});

describe('the server of a mail domain', () => {
  const alias = (): unknown => ({ aliases: [`acct:alice@${hostOf(there.gateway.url)}`] });
  const offered = async (): Promise<unknown[]> => {
    const address = freshAddress();
    const remotes = await foundInTheEnd(address);
    expect(remotes).toHaveLength(1);
    return remotes.map(({ value }) => (value.shareWith === address ? 'the typed address' : value.shareWith));
  };

  it('may name an account by the members that every domain can write', async () => {
    answer = { status: 200, body: alias() };
    expect(await offered()).toEqual([`alice@${hostOf(there.gateway.url)}`]);
  });

  it('may send the question on to the server that knows', async () => {
    await mailOf('alice', `somebody${searches + 1}@mail.other`);
    const resource = encodeURIComponent(`acct:somebody${searches + 1}@mail.other`);
    answer = { status: 307, location: `${there.gateway.url}/.well-known/webfinger?resource=${resource}` };
    expect(await offered()).toEqual([aliceThere()]);
  });

  it.each<[string, () => typeof answer]>([
    ['knows nothing', () => ({ status: 404 })],
    ['fails', () => ({ status: 500 })],
    ['names no account', () => ({ status: 200, body: { subject: 'acct:x', links: [] } })],
    [
      'names an account here',
      () => ({ status: 200, body: { aliases: [`acct:bob@${hostOf(here.gateway.url)}`] } }),
    ],
    [
      'names an account at a server without shares',
      () => ({
        status: 200,
        body: { aliases: [`acct:a@${hostOf(domain.url)}`] },
      }),
    ],
    [
      'names an address that may not be called',
      () => ({ status: 200, body: { aliases: ['acct:a@10.1.2.3'] } }),
    ],
    ['sends it to an address that may not be called', () => ({ status: 302, location: 'http://10.1.2.3/x' })],
    ['sends it in a circle', () => ({ status: 302, location: `${domain.url}/again` })],
    ['sends it to another scheme', () => ({ status: 302, location: 'file:///etc/passwd' })],
  ])('leaves the typed address as it is if it %s', async (_what, made) => {
    answer = made();
    expect(await offered()).toEqual(['the typed address']);
    const states = await here.query<{ state: string }>(
      'SELECT state FROM mail_lookup ORDER BY id DESC LIMIT 1',
    );
    expect(states[0]!.state).toMatch(/^(none|failed)$/);
  });

  it('names nobody at a host with which nothing is shared', async () => {
    await here.set('federatedfilesharing/denied_hosts', JSON.stringify([hostOf(there.gateway.url)]));
    answer = { status: 200, body: alias() };
    expect(await offered()).toEqual(['the typed address']);
    await here.unset('federatedfilesharing/denied_hosts');
  });

  it('is asked a bounded number of times by one person', async () => {
    answer = { status: 404 };
    const before = domain.requests.length;
    await Promise.all(Array.from({ length: 45 }, () => found(freshAddress(), 'carol')));
    await allAnswered();
    const asked = domain.requests.length - before;
    expect(asked).toBeGreaterThan(10);
    expect(asked).toBeLessThan(40);
  });

  it('is asked nothing for people who may not ask', async () => {
    await here.set('federation/find_by_mail', 'no');
    const before = domain.requests.length;
    expect(await offered()).toEqual(['the typed address']);
    expect(domain.requests.length).toBe(before);
  });
});

it('keeps no address longer than its result counts', async () => {
  await here.query(`UPDATE mail_lookup SET expires_at = now() - interval '1 second'`);
  await here.gateway.instance.app.nest.get(Schedules, { strict: false }).run('forget-mail-lookups');
  expect(await here.query('SELECT FROM mail_lookup')).toEqual([]);
});
