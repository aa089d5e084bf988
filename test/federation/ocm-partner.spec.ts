import { eventually } from '../../libs/testing/src';
import type { ReceivedOffer } from '../../libs/testing/src/partners/ocm-partner/offer';
import { OcmPartner } from '../../libs/testing/src/partners/ocm-partner/ocm-partner';
import { SharingGateway, type Answer } from '../sharing/sharing-gateway';
import { AMONG_FAKES, SHARES } from './outgoing-world';

const INVITATIONS = '/apps/ocm/api/v1/invitations';
const RECEIVED = '/apps/files_sharing/api/v1/remote_shares';

/** One story in both directions; the last test checks that every sentence of the draft was met. */
describe('a server of Open Cloud Mesh 1.4 that demands signatures, invitations and the exchange of secrets', () => {
  let here: SharingGateway;
  let there: OcmPartner;
  let host: string;
  beforeAll(async () => {
    here = await SharingGateway.start({ env: { ...AMONG_FAKES, FEDERATION_SYNC_WAIT: '20s' } });
    there = await OcmPartner.start();
    host = new URL(here.gateway.url).host;
    await here.addUsers('ann', 'otto');
  });
  afterAll(() => Promise.all([here?.stop(), there?.close()]));

  async function share(name: string, uid = 'ann'): Promise<Answer> {
    await here.store(uid, `/${name}`);
    return here.ocs('POST', SHARES, uid, {
      path: `/${name}`,
      shareType: '6',
      shareWith: there.address,
      note: `on ${name}`,
    });
  }
  const offerOf = (name: string): ReceivedOffer => there.offers.find((offer) => offer.name === name)!;
  const recordOf = async (id: unknown): Promise<Record<string, unknown>> => {
    const { data } = await here.ocs('GET', `${SHARES}/${String(id)}`, 'ann');
    return (Array.isArray(data) ? data[0] : data) as Record<string, unknown>;
  };
  const told = (type: string, providerId: string): Promise<unknown> =>
    eventually(`${type} there`, () =>
      there.notifications.some((one) => one.notificationType === type && one.providerId === providerId),
    );
  const dav = (method: string, path: string, body?: string): Promise<Response> =>
    fetch(`${here.gateway.url}/remote.php/webdav${path}`, {
      method,
      headers: { authorization: here.authorizationOf('ann') },
      body,
    });
  async function received(name: string, uid = 'ann'): Promise<string> {
    const { data } = await here.ocs('GET', `${RECEIVED}/pending`, uid);
    return String((data as { id: unknown; name: string }[]).find((one) => one.name.includes(name))!.id);
  }

  it('gets a share only after an invitation', async () => {
    expect(await share('early.txt')).toMatchObject({ code: 403 });
    expect(there.offers).toEqual([]);
  });

  it('accepts our user through its own invitation', async () => {
    const { code, data } = await here.ocs('POST', `${INVITATIONS}/accept`, 'ann', {
      invitation: there.invite(),
    });
    expect([code, data.share_with]).toEqual([200, there.address]);
    expect([...there.contacts]).toEqual([`ann@${host}`]);
  });

  it('accepts an invitation of ours, once', async () => {
    const { data } = await here.ocs('POST', INVITATIONS, 'otto', { description: '' });
    expect((await there.accept(String(data.invitation))).status).toBe(200);
    expect((await there.accept(String(data.invitation))).status).toBe(409);
    const unknown = Buffer.from(`nothing@${host}`).toString('base64url');
    expect((await there.accept(unknown)).status).toBe(400);
  });

  it('is chosen on the page of an invitation, and accepts it from there', async () => {
    const { data } = await here.ocs('POST', INVITATIONS, 'otto', { description: '' });
    const { link } = data as unknown as { link: string };
    const to = await fetch(`${link}&provider=${there.host}`, { redirect: 'manual' });
    expect(to.status).toBe(303);
    const brought = there.arrive(to.headers.get('location')!);
    expect(brought.host).toBe(host);
    const text = Buffer.from(`${brought.token}@${brought.host}`).toString('base64url');
    expect((await there.accept(text)).status).toBe(200);
  });

  it('accepts a share, exchanges its secret, and reads it only with the token', async () => {
    expect(await share('plan.txt')).toMatchObject({ code: 200, data: { delivery_state: 'delivered' } });
    const offer = offerOf('plan.txt');
    expect(offer.description).toBe('on plan.txt');
    const { status, json } = await there.exchange(offer);
    expect(status).toBe(200);
    const read = (token: string): Promise<Response> =>
      fetch(offer.protocol.webdav.uri, { headers: { authorization: `Bearer ${token}` } });
    expect((await read(String(json.access_token))).status).toBe(200);
    expect((await read(offer.protocol.webdav.sharedSecret)).status).toBe(401);
    expect((await there.exchange(offer, 'wrong')).status).toBe(400);
  });

  it('sends us its decisions, without a notification object', async () => {
    const [accepted, declined] = [await share('accepted.txt'), await share('declined.txt')];
    await there.notify(host, 'SHARE_ACCEPTED', offerOf('accepted.txt').providerId);
    await there.notify(host, 'SHARE_DECLINED', offerOf('declined.txt').providerId);
    expect(await recordOf(accepted.data.id)).toMatchObject({ acceptance: 'accepted' });
    expect((await here.ocs('GET', `${SHARES}/${String(declined.data.id)}`, 'ann')).code).toBe(404);
  });

  it('gets a message about the end of a share', async () => {
    const { data } = await share('ended.txt');
    await here.ocs('DELETE', `${SHARES}/${String(data.id)}`, 'ann');
    await told('SHARE_UNSHARED', offerOf('ended.txt').providerId);
  });

  it('offers a share, gets the acceptance, and serves reads and writes with tokens', async () => {
    expect((await there.share(`ann@${host}`, 'unsigned.txt', false)).status).toBe(401);
    const { status, file } = await there.share(`ann@${host}`, 'theirs.txt');
    expect(status).toBe(201);
    await here.ocs('POST', `${RECEIVED}/pending/${await received('theirs.txt')}`, 'ann');
    await told('SHARE_ACCEPTED', file.providerId);
    const reads = await dav('GET', '/theirs.txt');
    expect([reads.status, await reads.text()]).toEqual([200, 'content of theirs.txt']);
    expect((await dav('PUT', '/theirs.txt', 'of ann')).status).toBe(204);
    expect(file.content.text).toBe('of ann');
  });

  it('asks for a share; its owner is notified if both users are contacts', async () => {
    const requests = async (uid: string): Promise<Record<string, unknown>[]> => {
      const { data } = await here.ocs('GET', '/apps/notifications/api/v1/notifications', uid);
      return (data as unknown as Record<string, unknown>[]).filter(
        ({ object_type: type }) => type === 'share_request',
      );
    };
    await here.store('ann', '/wanted.txt');
    const [{ id }] = (await here.query<{ id: string }>(`SELECT id FROM node WHERE name = 'wanted.txt'`)) as [
      { id: string },
    ];
    await here.addUsers('zoe');
    expect((await there.requestShare(`zoe@${host}`, id)).status).toBe(403);
    expect((await there.requestShare(`ann@${host}`, id, false)).status).toBe(401);
    expect(await requests('ann')).toEqual([]);
    for (const share of [id, `http://${host}/index.php/f/${id}`, '999999999', 'nothing of ours'])
      expect((await there.requestShare(`ann@${host}`, share)).status).toBe(201);
    // There is no message about another person's file.
    expect((await there.requestShare(`otto@${host}`, id)).status).toBe(201);
    expect(await requests('otto')).toEqual([]);
    expect(await requests('ann')).toMatchObject([
      {
        subject: `${there.address} asks you to share "wanted.txt"`,
        link: `${here.gateway.url}/f/${id}`,
      },
    ]);
  });

  it('shares with a group, each of whose members decides for themselves', async () => {
    const team = `team@${host}`;
    expect((await there.share(team, 'closed.txt', true, 'group')).status).toBe(501);
    await here.set('files_sharing/incoming_server2server_group_share_enabled', 'yes');
    await here.addGroup('team', 'ann', 'otto');
    for (const shareType of ['group', 'federation']) {
      const name = `for-${shareType}.txt`;
      const { status, file } = await there.share(team, name, true, shareType);
      expect(status).toBe(201);
      const [forAnn, forOtto] = [await received(name), await received(name, 'otto')];
      await here.ocs('POST', `${RECEIVED}/pending/${forAnn}`, 'ann');
      await told('SHARE_ACCEPTED', file.providerId);
      await here.ocs('DELETE', `${RECEIVED}/pending/${forOtto}`, 'otto');
      expect((await dav('GET', `/${name}`)).status).toBe(200);
      expect((await there.notify(host, 'SHARE_UNSHARED', file.providerId)).status).toBe(201);
      expect((await dav('GET', `/${name}`)).status).toBe(404);
      const types = there.notifications.filter(({ providerId }) => providerId === file.providerId);
      expect(types.map(({ notificationType }) => notificationType)).toEqual(['SHARE_ACCEPTED']);
    }
  });

  it('gets a decline, and ends a share itself', async () => {
    const { file } = await there.share(`ann@${host}`, 'unwanted.txt');
    await here.ocs('DELETE', `${RECEIVED}/pending/${await received('unwanted.txt')}`, 'ann');
    await told('SHARE_DECLINED', file.providerId);
    const taken = await there.share(`ann@${host}`, 'taken-back.txt');
    expect((await there.notify(host, 'SHARE_UNSHARED', taken.file.providerId)).status).toBe(201);
    await expect(received('taken-back.txt')).rejects.toThrow();
  });

  it('has found no broken rule of the draft', () => {
    expect(there.draft.broken).toEqual([]);
    expect(there.draft.unchecked).toEqual([]);
  });
});

describe('the strict server itself', () => {
  it('detects violations of the draft', async () => {
    const strict = await OcmPartner.start();
    const post = async (path: string, type: string, body: string): Promise<number> => {
      const headers = { 'content-type': type };
      return (await fetch(`http://${strict.host}${path}`, { method: 'POST', headers, body })).status;
    };
    try {
      const offer = {
        ...{ shareWith: strict.address, name: 'a', providerId: '1', owner: `ann@https://${strict.host}` },
        ...{ sender: `ann@${strict.host}`, shareType: 'user', resourceType: 'file' },
        protocol: { name: 'webdav', options: { sharedSecret: 's' } },
      };
      expect(await post('/ocm/shares', 'text/plain', JSON.stringify(offer))).toBe(401);
      expect(await post('/ocm/invite-accepted', 'application/json', '{"token":1}')).toBe(400);
      expect(await post('/ocm/notifications', 'application/json', '{"notificationType":"X"}')).toBe(401);
      expect(await post('/ocm/token', 'application/json', '{}')).toBe(400);
      expect(strict.draft.broken.map((text) => text.split(':')[0])).toEqual([
        ...['discovery.place', 'share.json', 'signature.tag', 'discovery.place', 'invite.members'],
        ...['discovery.place', 'notification.type', 'notification.share', 'discovery.place', 'token.form'],
      ]);
    } finally {
      await strict.close();
    }
  });
});
