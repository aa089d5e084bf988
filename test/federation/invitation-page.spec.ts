import { OcmPartner } from '../../libs/testing/src/partners/ocm-partner/ocm-partner';
import { Browser } from '../edge/browser';
import { PASSWORD, SharingGateway } from '../sharing/sharing-gateway';
import { AMONG_FAKES } from './outgoing-world';

const PAGE = '/index.php/apps/ocm/invitation';
const BROWSER = { accept: 'text/html', 'sec-fetch-site': 'same-origin' };

describe('the page on which an invitation is accepted', () => {
  let here: SharingGateway;
  let there: OcmPartner;
  beforeAll(async () => {
    here = await SharingGateway.start({ env: { ...AMONG_FAKES, FEDERATION_SYNC_WAIT: '20s' } });
    there = await OcmPartner.start();
    await here.addUsers('ann', 'ben');
  });
  afterAll(() => Promise.all([here?.stop(), there?.close()]));

  const get = (path: string): Promise<Response> => fetch(here.gateway.url + path);
  const send = (form: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${here.gateway.url}${PAGE}/accept`, {
      method: 'POST',
      redirect: 'manual',
      headers: { ...BROWSER, ...headers },
      body: new URLSearchParams(form),
    });
  const asAnn = (): Record<string, string> => ({ authorization: here.authorizationOf('ann') });
  const contacts = async (): Promise<unknown[]> => {
    const { data } = await here.ocs('GET', '/apps/ocm/api/v1/contacts', 'ann');
    return data;
  };
  /** Token and host of an invitation, as in the links from other servers. */
  const invitation = (): { token: string; providerDomain: string } => {
    const text = Buffer.from(there.invite(), 'base64url').toString();
    return { token: text.slice(0, text.lastIndexOf('@')), providerDomain: there.host };
  };

  it('is announced by discovery, and shows its parameters as text', async () => {
    const document = (await (await get('/.well-known/ocm')).json()) as { inviteAcceptDialog: string };
    expect(document.inviteAcceptDialog).toBe(PAGE);
    const page = await get(
      `${PAGE}?${new URLSearchParams({ token: '"><b>x', providerDomain: 'a.example' }).toString()}`,
    );
    const text = await page.text();
    expect([page.status, text.includes('<b>x'), text.includes('a.example')]).toEqual([200, false, true]);
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(await (await get(`${PAGE}?accepted=yes`)).text()).toContain('is accepted');
    expect((await get(`${PAGE}?accepted=constructor`)).status).toBe(200);
  });

  it('asks the user, accepts nothing from other sites’ pages, and adds the contact', async () => {
    const form = invitation();
    const client = await send(form, { accept: '*/*' });
    expect([client.status, client.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('Basic'),
    ]);
    const foreign = { ...asAnn(), origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    expect((await send(form, foreign)).status).toBe(403);
    expect(await contacts()).toEqual([]);
    const taken = await send(form, asAnn());
    expect([taken.status, taken.headers.get('location')]).toEqual([303, `${PAGE}?accepted=yes`]);
    expect(await contacts()).toEqual([expect.objectContaining({ share_with: there.address })]);
  });

  it('leads a browser to the sign-in, and back to a form that its session can send', async () => {
    const form = invitation();
    const browser = new Browser(here.gateway.url);
    const page = `${PAGE}?${new URLSearchParams(form).toString()}`;
    const open = (): Promise<Response> => browser.fetch(page, { headers: BROWSER });
    const first = await open();
    expect([first.status, first.headers.get('location')]).toEqual([
      303,
      `/login?next=${encodeURIComponent(page)}`,
    ]);
    await browser.signIn('ben', PASSWORD);
    const requesttoken = /name="requesttoken" value="(.*?)"/.exec(await (await open()).text())![1]!;
    const accept = (fields: Record<string, string>): Promise<Response> => {
      const body = new URLSearchParams(fields);
      return browser.fetch(`${PAGE}/accept`, { method: 'POST', headers: BROWSER, body });
    };
    const again = await accept(form);
    expect([again.status, again.headers.get('location')]).toEqual([303, page]);
    expect((await accept({ ...form, requesttoken })).headers.get('location')).toBe(`${PAGE}?accepted=yes`);
  });

  it('leads a browser whose session has ended to the page with the form, and so to the sign-in', async () => {
    const ended = await send(invitation(), { cookie: '__Host-drawbridge=ended' });
    expect([ended.status, ended.headers.get('location')]).toEqual([303, PAGE]);
  });

  it('reports that an invitation was not accepted, and shows again what was sent', async () => {
    const refused = await send({ token: 'un"known', providerDomain: there.host }, asAnn());
    const sent = new URLSearchParams({ accepted: 'no', token: 'un"known', providerDomain: there.host });
    expect([refused.status, refused.headers.get('location')]).toEqual([303, `${PAGE}?${sent.toString()}`]);
    const page = await (await get(refused.headers.get('location')!)).text();
    expect(page).toContain('could not be accepted');
    expect(page).toContain('value="un&quot;known"');
    const empty = await send({ token: '', providerDomain: '' }, asAnn());
    expect(empty.headers.get('location')).toBe(`${PAGE}?accepted=no`);
  });

  it('speaks German to a German browser', async () => {
    const headers = { 'accept-language': 'de' };
    const page = await (await fetch(`${here.gateway.url}${PAGE}?accepted=later`, { headers })).text();
    expect(page).toContain('<html lang="de">');
    expect(page).toContain('Server, der Sie einlädt');
    expect(page).toContain('hat noch nicht geantwortet');
  });
});
