import { eventually } from '../../libs/testing/src';
import { SharingGateway, type Answer } from '../sharing/sharing-gateway';
import { AMONG_FAKES } from './outgoing-world';

const REMOTE_SHARES = '/apps/files_sharing/api/v1/remote_shares';
const OUTGOING = 'files_sharing/outgoing_server2server_group_share_enabled';
const INCOMING = 'files_sharing/incoming_server2server_group_share_enabled';

let here: SharingGateway;
let there: SharingGateway;
beforeAll(async () => {
  [here, there] = (await Promise.all(
    ['here', 'there'].map(() => SharingGateway.start({ env: AMONG_FAKES })),
  )) as [SharingGateway, SharingGateway];
  await here.addUsers('alice');
  await there.addUsers('bob', 'ben', 'eve');
  await there.addGroup('staff', 'bob', 'ben');
});
afterAll(() => Promise.all([here?.stop(), there?.stop()]));

const hostOf = ({ gateway }: SharingGateway): string => new URL(gateway.url).host;
const group = (): string => `staff@${hostOf(there)}`;
const share = (path: string, more: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  here.share('alice', { path, shareType: '9', shareWith: group(), ...more });
const recordOf = async (id: string) => (await here.shares('GET', `/${id}`, 'alice')).data[0];

async function offerOf(uid: string, name: string): Promise<string | undefined> {
  const { data } = await there.ocs('GET', `${REMOTE_SHARES}/pending`, uid);
  const offers = data as { id: number | string; name: string }[];
  const found = offers.find((offer) => offer.name === `/${name}`);
  return found && String(found.id);
}

async function text(uid: string, path: string): Promise<string> {
  const headers = { authorization: there.authorizationOf(uid) };
  const reply = await fetch(`${there.gateway.url}/remote.php/webdav${path}`, { headers });
  return reply.ok ? reply.text() : String(reply.status);
}

it('is an unknown type until a setting allows it', async () => {
  await here.store('alice', '/closed.txt');
  for (const shareType of ['9', '5', '17', '-1']) {
    const { code, message } = await share('/closed.txt', { shareType });
    expect([shareType, code, message]).toEqual([shareType, 400, 'Unknown share type']);
  }
  await here.set(OUTGOING, 'yes');
  for (const shareType of ['5', '17', '-1'])
    expect((await share('/closed.txt', { shareType })).code).toBe(400);
});

it('is not offered to a server that takes no shares with groups', async () => {
  await here.store('alice', '/early.txt');
  const { code, message } = await share('/early.txt');
  expect([code, message]).toEqual([
    403,
    'Federated Sharing failed: it does not announce that it takes shares with groups',
  ]);
  expect(await here.list('alice', 'path=/early.txt')).toEqual([]);
});

describe('a share with a group of another server', () => {
  beforeAll(async () => {
    await here.set(OUTGOING, 'yes');
    await there.set(INCOMING, 'yes');
    await here
      .query(`UPDATE peer SET profile_expires_at = now() - interval '1 second'`)
      .catch(() => undefined);
  });

  it('is one offer, and each member decides for themselves', async () => {
    await here.dav('PUT', 'alice', '/plan.txt', {}, 'the plan');
    const { code, data } = await share('/plan.txt', { permissions: '1' });
    expect([code, data.share_type, data.share_with, data.delivery_state]).toEqual([
      200,
      9,
      group(),
      'delivered',
    ]);
    const offers = await here.query(
      `SELECT FROM outbox_message WHERE kind = 'share-create' AND subject_id = $1`,
      [data.id],
    );
    expect(offers).toHaveLength(1);
    expect(await here.list('alice', 'path=/plan.txt')).toMatchObject([{ id: data.id, share_type: 9 }]);
    const [forBob, forBen] = [await offerOf('bob', 'plan.txt'), await offerOf('ben', 'plan.txt')];
    expect([forBob, forBen, await offerOf('eve', 'plan.txt')]).toEqual([
      expect.any(String),
      expect.any(String),
      undefined,
    ]);
    await there.ocs('POST', `${REMOTE_SHARES}/pending/${forBob}`, 'bob');
    await eventually('alice sees the acceptance', async () => {
      return (await recordOf(data.id)).acceptance === 'accepted';
    });
    await there.ocs('DELETE', `${REMOTE_SHARES}/pending/${forBen}`, 'ben');
    expect(await text('bob', '/plan.txt')).toBe('the plan');
    expect((await share('/plan.txt')).code).toBe(403);

    expect((await here.shares('PUT', `/${data.id}`, 'alice', { permissions: '19' })).code).toBe(200);
    expect((await recordOf(data.id)).share_type).toBe(9);
    expect((await here.shares('DELETE', `/${data.id}`, 'alice')).code).toBe(200);
    await eventually('the share ends for bob', async () => (await text('bob', '/plan.txt')) === '404');
  });

  it('begins with a whole name in the search for recipients, where a setting allows it', async () => {
    const found = async (search: string, more = '') => {
      const query = `search=${encodeURIComponent(search)}&itemType=file${more}`;
      return (await here.ocs('GET', `/apps/files_sharing/api/v1/sharees?${query}`, 'alice')).data;
    };
    const value = { shareType: 9, shareWith: group(), server: hostOf(there) };
    const entry = { label: `staff (${hostOf(there)})`, guid: 'staff', name: 'staff', value };
    const { exact, remote_groups } = await found(group());
    expect([exact.remote_groups, remote_groups]).toEqual([[entry], []]);
    expect(exact.remotes).toMatchObject([{ value: { shareType: 6, shareWith: group() } }]);
    expect((await found(group(), '&shareType=9')).exact).toMatchObject({
      remotes: [],
      remote_groups: [entry],
    });
    expect((await found(group(), '&shareType=6')).exact.remote_groups).toBeUndefined();
    for (const search of ['staff', 'staff@', `staff@${hostOf(here)}`, `@${hostOf(there)}`, 'a@b c'])
      expect((await found(search)).exact.remote_groups).toEqual([]);
    expect((await found(group(), '&page=2')).exact.remote_groups).toEqual([]);
    await here.set(OUTGOING, 'no');
    const closed = await found(group());
    expect([closed.exact.remote_groups, closed.remote_groups]).toEqual([undefined, undefined]);
    await here.set(OUTGOING, 'yes');
  });

  it('goes on if its server reports the decline of one member', async () => {
    await here.set('federatedfilesharing/incoming_signatures', 'checked');
    await here.store('alice', '/declined.txt');
    const { data } = await share('/declined.txt');
    const [{ token }] = [await recordOf(data.id)];
    const notice = {
      notificationType: 'SHARE_DECLINED',
      resourceType: 'file',
      providerId: String(data.id),
      notification: { sharedSecret: token },
    };
    const reply = await fetch(`${here.gateway.url}/ocm/notifications`, {
      method: 'POST',
      body: JSON.stringify(notice),
    });
    expect(reply.status).toBe(201);
    expect(await recordOf(data.id)).toMatchObject({ share_type: 9, delivery_state: 'delivered' });
    const wrong = { ...notice, notification: { sharedSecret: 'AnotherSecret' } };
    const refused = await fetch(`${here.gateway.url}/ocm/notifications`, {
      method: 'POST',
      body: JSON.stringify(wrong),
    });
    expect(refused.status).toBe(403);
    await here.unset('federatedfilesharing/incoming_signatures');
  });

  it('is offered again as one with a group after its file was deleted and restored', async () => {
    await here.store('alice', '/restored.txt');
    const { data } = await share('/restored.txt');
    const [node] = await here.query<{ id: string }>(`SELECT node_id AS id FROM share WHERE id = $1`, [
      data.id,
    ]);
    await here.dav('DELETE', 'alice', '/restored.txt');
    const [kept] = await here.query<{ recipient_is_group: boolean }>(
      'SELECT recipient_is_group FROM trashed_offer WHERE node_id = $1',
      [node!.id],
    );
    expect(kept).toEqual({ recipient_is_group: true });
  });

  it('needs a server that everybody may share with: a group is no contact', async () => {
    await here.store('alice', '/invited.txt');
    await here.query(
      `INSERT INTO contact (uid, peer_id, remote_user, display_name) SELECT 'alice', id, 'staff', 'Staff' FROM peer WHERE host_key = $1`,
      [hostOf(there)],
    );
    await here.set('federatedfilesharing/outgoing_default_trust', 'invited');
    const { code, message } = await share('/invited.txt');
    const refusal = `Sharing with ${hostOf(there)} needs an invitation that one of you accepted`;
    expect([code, message]).toEqual([403, refusal]);
    expect((await share('/invited.txt', { shareType: '6' })).message).not.toContain('needs an invitation');
    await here.unset('federatedfilesharing/outgoing_default_trust');
  });
});
