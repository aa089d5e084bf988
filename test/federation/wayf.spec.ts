import { generateKeyPairSync } from 'node:crypto';
import { CompactSign } from 'jose';
import { DirectoryServiceRepository } from '#persistence';
import {
  createTestDatabase,
  eventually,
  reply,
  replyJson,
  startFakeServer,
  type FakeServer,
  type TestDatabase,
} from '../../libs/testing/src';
import { SharingGateway } from '../sharing/sharing-gateway';
import { AMONG_FAKES } from './outgoing-world';

const INVITATIONS = '/apps/ocm/api/v1/invitations';
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const PEM = publicKey.export({ type: 'spki', format: 'pem' }) as string;
const compact = (payload: object): Promise<string> =>
  new CompactSign(Buffer.from(JSON.stringify(payload))).setProtectedHeader({ alg: 'EdDSA' }).sign(privateKey);

describe('the page on which an invited person selects their server', () => {
  let database: TestDatabase;
  let here: SharingGateway;
  let services: DirectoryServiceRepository;
  /** A directory service, and servers of all kinds. */
  let there: FakeServer;
  let host: string;
  let dialog: string | undefined;
  let signed = '';

  beforeAll(async () => {
    database = await createTestDatabase();
    services = new DirectoryServiceRepository(database.database);
    there = await startFakeServer(({ path }, response) => {
      if (path === '/directory') return reply(response, 200, signed, 'application/jose');
      if (path !== '/.well-known/ocm') return replyJson(response, 404, {});
      replyJson(response, 200, {
        ...{ enabled: true, apiVersion: '1.4.0', endPoint: `${there.url}/ocm`, capabilities: ['invites'] },
        resourceTypes: [{ name: 'file', shareTypes: ['user'], protocols: { webdav: '/dav/' } }],
        ...(dialog === undefined ? {} : { inviteAcceptDialog: dialog }),
      });
    });
    host = new URL(there.url).host;
    here = await SharingGateway.start({
      databaseUrl: database.url,
      env: { ...AMONG_FAKES, FEDERATION_SYNC_WAIT: '20s' },
    });
    await here.addUsers('ann');
  });
  afterAll(async () => {
    await Promise.all([here?.stop(), there?.close()]);
    await database?.drop();
  });
  beforeEach(async () => {
    await database.database.dataSource.query('DELETE FROM peer');
    dialog = '/accept';
  });

  async function invitation(): Promise<{ id: string; token: string; link: string; invitation: string }> {
    const { data } = await here.ocs('POST', INVITATIONS, 'ann', { description: '' });
    return data;
  }
  const open = (link: string, more: Record<string, string> = {}): Promise<Response> =>
    fetch(
      `${link}${Object.entries(more)
        .map(([name, value]) => `&${name}=${encodeURIComponent(value)}`)
        .join('')}`,
      {
        redirect: 'manual',
      },
    );
  const listed = async (payload: string): Promise<string[]> => {
    signed = payload;
    await services.put(`${there.url}/directory`, PEM);
    const found = await eventually('the question to the directory service', async () => {
      const [service] = await services.list();
      return service!.fetchedAt !== null || service!.error !== '' ? service : undefined;
    });
    return found.error === ''
      ? found.servers.map(({ hostKey, name }) => `${name} ${hostKey}`)
      : [found.error];
  };

  it('is announced, named by the invitation, and works without a link too', async () => {
    const document = (await (await fetch(`${here.gateway.url}/.well-known/ocm`)).json()) as {
      capabilities: string[];
    };
    expect(document.capabilities).toContain('invite-wayf');
    const { link, token, invitation: text } = await invitation();
    expect(link).toBe(`${here.gateway.url}/ocm/wayf?token=${token}`);
    const page = await open(link);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self'");
    expect(await page.text()).toContain(`<code>${text}</code>`);
  });

  it('speaks German to a German browser', async () => {
    const { link } = await invitation();
    const headers = { 'accept-language': 'de' };
    const page = await (await fetch(link, { headers })).text();
    expect(page).toContain('<html lang="de">');
    expect(page).toContain('Woher kommen Sie?');
    const over = await fetch(`${here.gateway.url}/ocm/wayf?token=none`, { headers });
    expect(await over.text()).toContain('Diese Einladung gibt es nicht.');
  });

  it('leads to the page of a selected server, and shows a typed one first', async () => {
    const { link, token } = await invitation();
    const own = new URL(here.gateway.url).host;
    const target = `${there.url}/accept?token=${token}&providerDomain=${encodeURIComponent(own)}`;
    const selected = await open(link, { provider: host });
    expect([selected.status, selected.headers.get('location')]).toEqual([303, target]);
    for (const typed of [host, there.url, `bea@${host}`]) {
      const page = await open(link, { typed });
      expect([page.status, await page.text()]).toEqual([
        200,
        expect.stringContaining(`<a href="${target.replaceAll('&', '&amp;')}">`),
      ]);
    }
  });

  it.each([
    ['has no such page', undefined],
    ['names one of another site', 'https://evil.example/accept'],
    ['names one that is no address of pages', 'javascript:alert(1)'],
  ])('leads to no server that %s', async (_kind, named) => {
    dialog = named;
    const { link } = await invitation();
    const page = await open(link, { provider: host });
    expect([page.status, page.headers.get('location')]).toEqual([200, null]);
    expect(await page.text()).toContain('takes no invitations by a link');
    const typed = await (await open(link, { typed: host })).text();
    expect(typed).toContain(`name="typed" value="${host}"`);
  });

  it('asks no server for people without an open invitation', async () => {
    const seen = there.requests.length;
    const { link, id } = await invitation();
    await here.ocs('DELETE', `${INVITATIONS}/${id}`, 'ann');
    for (const address of [
      link,
      `${here.gateway.url}/ocm/wayf?token=unknown`,
      `${here.gateway.url}/ocm/wayf?token=`,
    ]) {
      const page = await open(address, { provider: host });
      expect([page.status, page.headers.get('location')]).toEqual([404, null]);
    }
    expect(there.requests).toHaveLength(seen);
  });

  it('offers the servers of directory services, and shows their names as text', async () => {
    const servers = [
      { url: 'https://b.example.org', displayName: '<b>B</b>' },
      { url: 'https://a.example.org:8443/', displayName: 'A' },
      { url: 'https://a.example.org:8443', displayName: 'A again' },
      ...[
        'https://u:p@c.example.org',
        'https://c.example.org/ocm',
        'https://c.example.org?x',
        'ftp://c.example.org',
        'c',
      ].map((url) => ({ url, displayName: 'refused' })),
    ];
    expect(await listed(await compact({ federation: 'Example', servers }))).toEqual([
      '<b>B</b> b.example.org',
      'A a.example.org:8443',
    ]);
    const page = await (await open((await invitation()).link)).text();
    expect(page).toContain('&lt;b&gt;B&lt;/b&gt;</a> (b.example.org)');
    expect(page).not.toContain('refused');
  });

  it('keeps its known servers after a wrong answer', async () => {
    signed = 'nothing';
    await database.database.dataSource.query('UPDATE directory_service SET due_at = now()');
    const service = await eventually('the failure', async () =>
      (await services.list()).find(({ error }) => error !== ''),
    );
    expect(service).toMatchObject({ federation: 'Example', servers: { length: 2 } });
  });
});
