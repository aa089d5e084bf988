import { OpenCloudPartner } from '../../libs/testing/src/partners/opencloud-partner';
import { SharingGateway, type Answer } from '../sharing/sharing-gateway';
import { offerBody } from './inbound-partner';
import { AMONG_FAKES, SHARES } from './outgoing-world';

const API = '/apps/ocm/api/v1';
const ALAN = {
  id: 'b1f74ec4-dd7e-11ef-a543-03775734d0f7',
  mail: 'alan@example.org',
  name: 'Alan Turing',
};

let here: SharingGateway;
let there: OpenCloudPartner;
beforeAll(async () => {
  here = await SharingGateway.start({ env: { ...AMONG_FAKES, FEDERATION_SYNC_WAIT: '10s' } });
  there = await OpenCloudPartner.start(ALAN);
  await here.addUsers('ann', 'otto');
  await here.set('federatedfilesharing/outgoing_default_trust', 'invited');
  await here.set('federatedfilesharing/incoming_default_trust', 'invited');
});
afterAll(() => Promise.all([here?.stop(), there?.close()]));

const accept = (): Promise<Answer> =>
  here.ocs('POST', `${API}/invitations/accept`, 'ann', { token: 'abc', providerDomain: there.host });

async function share(name: string, uid: string, user: string): Promise<number> {
  await here.store(uid, `/${name}`);
  const form = { path: `/${name}`, shareType: '6', shareWith: `${user}@${there.host}` };
  return (await here.ocs('POST', SHARES, uid, form)).code;
}

describe('a contact at OpenCloud, whose invitation carries an encoded id', () => {
  it('is one person, in any spelling of an acceptance', async () => {
    expect((await accept()).data.share_with).toBe(`${there.encodedId}@${there.host}`);
    await accept();
    expect((await here.ocs('GET', `${API}/contacts`, 'ann')).data).toHaveLength(1);
  });

  it('is found by name, by address and by either id in the search for recipients', async () => {
    const found = async (search: string, uid: string) => {
      const parameters = `search=${encodeURIComponent(search)}&itemType=file`;
      const { data } = await here.ocs('GET', `/apps/files_sharing/api/v1/sharees?${parameters}`, uid);
      return { exact: data.exact.remotes as unknown[], parts: data.remotes as unknown[] };
    };
    const shareWith = `${there.encodedId}@${there.host}`;
    const known = { server: there.host, verified: true, shareWithAdditionalInfo: ALAN.mail };
    const value = { shareType: 6, shareWith, ...known };
    const alan = { label: ALAN.name, value };
    expect(await found('turing', 'ann')).toEqual({ exact: [], parts: [alan] });
    for (const whole of [ALAN.name, `${ALAN.id}@${there.host}`, `${there.encodedId}@${there.host}`])
      expect(await found(whole, 'ann')).toEqual({ exact: [alan], parts: [] });
    expect(await found('turing', 'otto')).toEqual({ exact: [], parts: [] });
    const switched = 'core/shareapi_allow_share_dialog_user_enumeration';
    await here.set(switched, 'no');
    for (const part of ['turing', ALAN.mail.slice(0, -1), ''])
      expect(await found(part, 'ann')).toMatchObject({ parts: [] });
    expect(await found(ALAN.mail, 'ann')).toMatchObject({ exact: [alan, {}], parts: [] });
    const strangers = await found(ALAN.mail, 'otto');
    expect(JSON.stringify(strangers)).not.toContain(ALAN.name);
    await here.unset(switched);
  });

  it('gets shares by the encoded and by the plain id; the offer has the plain one', async () => {
    expect(await share('encoded.txt', 'ann', there.encodedId)).toBe(200);
    expect(await share('plain.txt', 'ann', ALAN.id)).toBe(200);
    expect(await share('stranger.txt', 'otto', ALAN.id)).toBe(403);
    const named = there.received('shares').map(({ shareWith }) => String(shareWith).split('@')[0]);
    expect(named).toEqual([ALAN.id, ALAN.id]);
  });

  it('gets a file once, in any spelling', async () => {
    expect(await share('once.txt', 'ann', there.encodedId)).toBe(200);
    const form = { path: '/once.txt', shareType: '6', shareWith: `${ALAN.id}@${there.host}` };
    expect((await here.ocs('POST', SHARES, 'ann', form)).code).toBe(403);
  });

  it.each([
    ['as OpenCloud names its owner', () => there.encodedId, 201],
    ['without padding', () => there.encodedId.replace(/=+$/, ''), 201],
    ['by the plain id', () => ALAN.id, 201],
    ['of somebody else there', () => Buffer.from(`eve@https://${there.host}`).toString('base64'), 403],
  ])('may offer a share: %s', async (_how, user, status) => {
    const owner = `${user()}@${there.host}`;
    const body = { ...offerBody(user(), 'SecretOfAlan'), owner, sender: owner };
    const shareWith = `ann@${new URL(here.gateway.url).host}`;
    const reply = await fetch(`${here.gateway.url}/ocm/shares`, {
      method: 'POST',
      body: JSON.stringify({ ...body, shareWith }),
    });
    expect(reply.status).toBe(status);
  });
});
