import {
  basicAuth,
  eventually,
  startLegacyServer,
  startOpenCloud,
  startOwnCloud,
  type FakePartner,
} from '../../libs/testing/src';
import { PASSWORD } from '../edge/edge-client';
import { hostOf, OutgoingWorld, recordOf, SHARES } from './outgoing-world';
import { readCapture } from '../shapes/capture';
import { readServerExchanges, type ServerExchange } from './server-exchange';

const REMOTE_SHARES = '/apps/files_sharing/api/v1/remote_shares';
const OCM = '/index.php/apps/federatedfilesharing/notifications';

/** The request of a recording with this text in its path or body. */
function recorded(name: string, mark: string): ServerExchange {
  const found = readServerExchanges(name).find(
    ({ method, path, body }) => method === 'POST' && `${path} ${body}`.includes(mark),
  );
  if (!found) throw new Error(`${name} holds no ${mark}`);
  return found;
}

/** The `data` of an answer to a client of the resharing server. */
const recordedData = (name: string): unknown => recordedReply(`reshare-ocm/${name}`);

function recordedReply(name: string): unknown {
  const { body } = readCapture('federation', name).reply;
  return (JSON.parse(body) as { ocs: { data: unknown } }).ocs.data;
}

/** Values that belong to one installation or moment, and fields that deployed servers do not have. */
const OWN_VALUES = ['id', 'stime', 'storage', 'storage_id', 'item_source', 'file_source', 'file_parent'];
const PROGRESS =
  'delivery_state delivery_attempts delivery_next_attempt delivery_error acceptance acceptance_source';

/** The same fields in the same order with the same values, except people and hosts. */
function expectRecord(
  record: Record<string, unknown>,
  name: string,
  { owner, shareWith, token }: Record<'owner' | 'shareWith' | 'token', string>,
): void {
  const data = recordedData(name);
  const recordedOne = (Array.isArray(data) ? data[0] : data) as Record<string, unknown>;
  expect(Object.keys(record)).toEqual([...Object.keys(recordedOne), ...PROGRESS.split(' ')]);
  const own = Object.fromEntries(OWN_VALUES.map((field) => [field, record[field]]));
  expect(record).toMatchObject({
    ...{ ...recordedOne, ...own, token, uid_owner: 'alice', displayname_owner: 'alice' },
    ...{ uid_file_owner: owner, displayname_file_owner: owner },
    ...{ share_with: shareWith, share_with_displayname: shareWith },
  });
}

interface Notice {
  readonly providerId: string;
  readonly notification: Readonly<Record<string, unknown>>;
}

const formOf = (body: string): Record<string, string> => Object.fromEntries(new URLSearchParams(body));

/** Compares the messages of the three servers of a reshare with the recorded messages of three ownClouds. */
describe('reshares, compared with the recorded ones field by field', () => {
  let world: OutgoingWorld;
  let ownCloud: FakePartner;
  let other: FakePartner;
  let legacyServer: FakePartner;
  let openCloud: FakePartner;
  beforeAll(async () => {
    [world, ownCloud, other, legacyServer, openCloud] = await Promise.all([
      OutgoingWorld.start({ FEDERATION_SYNC_WAIT: '10s' }),
      startOwnCloud(),
      startOwnCloud(),
      startLegacyServer(),
      startOpenCloud(),
    ]);
  });
  afterAll(async () => {
    await world.stop();
    await Promise.all([ownCloud, other, legacyServer, openCloud].map((partner) => partner.close()));
  });

  const post = async (path: string, body: object | URLSearchParams): Promise<Record<string, unknown>> => {
    const isForm = body instanceof URLSearchParams;
    const reply = await fetch(world.sharing.gateway.url + path, {
      method: 'POST',
      headers: isForm ? {} : { 'content-type': 'application/json' },
      body: isForm ? body : JSON.stringify(body),
    });
    const answer = (await reply.json()) as Record<string, unknown>;
    if (reply.status >= 300) throw new Error(`${path}: ${reply.status} ${JSON.stringify(answer)}`);
    return answer;
  };
  const postOf = (partner: FakePartner, mark: string) =>
    eventually(mark, () =>
      partner.requests.findLast(
        ({ method, path, body }) => method === 'POST' && `${path} ${body}`.includes(mark),
      ),
    );
  const noticesTo = (partner: FakePartner, mark: string): number =>
    partner.requests.filter(({ method, path, body }) => method === 'POST' && `${path} ${body}`.includes(mark))
      .length;

  const accept = async (): Promise<void> => {
    const [pending] = (await world.sharing.must('GET', `${REMOTE_SHARES}/pending`, { as: 'alice' })).data as {
      id: number;
    }[];
    await world.sharing.must('POST', `${REMOTE_SHARES}/pending/${pending!.id}`, { as: 'alice' });
  };

  /** A user of the partner shares a folder with alice, who accepts it. */
  async function receive(partner: FakePartner, name: string, providerId: string, sharedSecret: string) {
    const owner = `olga@${partner.url}`;
    await post('/ocm/shares', {
      ...{
        shareWith: `alice@${hostOf({ url: world.sharing.gateway.url })}`,
        name,
        providerId,
        owner,
        sender: owner,
      },
      ...{ ownerDisplayName: 'olga', senderDisplayName: 'olga', shareType: 'user', resourceType: 'file' },
      protocol: { name: 'webdav', options: { sharedSecret } },
    });
    await accept();
  }

  const shareOn = (name: string, shareWith: string, more: Readonly<Record<string, string>> = {}) =>
    world.ask('POST', '', { path: `/${name}`, shareType: '6', shareWith, ...more });

  it('alice reshares a share of an ownCloud: requested, reduced and ended as recorded, also from the third server', async () => {
    const request = recorded('reshare-ocm/03-reshare.s2s.txt', 'REQUEST_RESHARE');
    const expected = JSON.parse(request.body) as Notice;
    const { providerId, notification } = expected;
    await receive(ownCloud, 'odir', providerId, String(notification.sharedSecret));
    const shareWith = `bob@${hostOf(other)}`;
    const passed = recordOf(await shareOn('odir', shareWith));
    const atOwnCloud = { owner: `olga@${ownCloud.url}`, shareWith, token: 'GrantedToken22xxxxxxxx' };
    expectRecord(passed, 'reshare.v1.json', atOwnCloud);
    expect(passed).toMatchObject({ delivery_state: 'delivered' });
    const [listed] = await world.list({ path: '/odir' });
    expectRecord(listed!, 'list-bea.v1.json', atOwnCloud);
    const senderId = Number(passed.id);
    const sent = await postOf(ownCloud, 'REQUEST_RESHARE');
    expect(sent.path).toBe(request.path);
    expect(JSON.parse(sent.body)).toEqual({
      ...expected,
      notification: { ...notification, senderId, shareWith },
    });
    expect(other.taken).toEqual([]);

    const lowered = recorded('reshare-ocm/05-third-party-accepts.s2s.txt', 'RESHARE_CHANGE_PERMISSION');
    const updated = await world.ask('PUT', `/${String(passed.id)}`, { permissions: '1' });
    expectRecord(recordOf(updated), 'resharer-updates-permissions.v1.json', atOwnCloud);
    const change = await postOf(ownCloud, 'RESHARE_CHANGE_PERMISSION');
    const recordedChange = JSON.parse(lowered.body) as Notice;
    const granted = { sharedSecret: 'GrantedToken22xxxxxxxx' };
    expect(JSON.parse(change.body)).toEqual({
      ...recordedChange,
      providerId: '59',
      notification: { ...recordedChange.notification, ...granted },
    });
    // ownCloud repeats this as long as it gets an answer.
    for (const _ of [1, 2, 3])
      await post('/ocm/notifications', {
        ...recordedChange,
        providerId: String(passed.id),
        notification: { ...recordedChange.notification, ...granted },
      });

    const undone = recorded('reshare-ocm/08-resharer-deletes-reshare.s2s.txt', '/revoke');
    const ended = await world.ask('DELETE', `/${String(passed.id)}`);
    expect(ended.data).toEqual(recordedData('resharer-deletes.v1.json'));
    expect(await world.list({ path: '/odir' })).toEqual(recordedData('list-bea-after.v1.json'));
    const unshared = recorded('reshare-ocm/08-resharer-deletes-reshare.s2s.txt', 'SHARE_UNSHARED');
    const told = await postOf(other, 'SHARE_UNSHARED');
    expect(told.path).toBe(unshared.path);
    const recordedEnd = JSON.parse(unshared.body) as Notice;
    expect(JSON.parse(told.body)).toEqual({
      ...recordedEnd,
      providerId: '59',
      notification: { ...recordedEnd.notification, ...granted },
    });
    const revoke = await postOf(ownCloud, '/revoke');
    expect(revoke.path).toBe(undone.path.replace('2168', '59'));
    expect(formOf(revoke.body)).toEqual({ token: granted.sharedSecret });
    const counted = ['REQUEST_RESHARE', 'RESHARE_CHANGE_PERMISSION', 'RESHARE_UNDO', '/revoke'];
    expect(counted.map((mark) => noticesTo(ownCloud, mark))).toEqual([1, 1, 0, 1]);
    expect(noticesTo(other, 'SHARE_UNSHARED')).toBe(1);
  });

  it('alice reshares a share of a server of the legacy dialect, as recorded', async () => {
    const request = recorded('legacy/40-recipient-reshares-to-remote.s2s.txt', '/reshare');
    const form = formOf(request.body);
    const remote = `${legacyServer.url}/`;
    await post(
      '/ocs/v2.php/cloud/shares?format=json',
      new URLSearchParams({
        ...{ shareWith: 'alice', token: form.token!, name: 'ldir', remoteId: '286', owner: 'olga', remote },
        ...{ ownerFederatedId: `olga@${remote}`, sharedBy: 'olga', sharedByFederatedId: `olga@${remote}` },
      }),
    );
    await accept();
    const shareWith = `bob@${hostOf(other)}`;
    const passed = recordOf(await shareOn('ldir', shareWith));
    const sent = await postOf(legacyServer, '/reshare');
    expect(sent.path).toBe(request.path);
    expect(formOf(sent.body)).toEqual({ ...form, shareWith, remoteId: passed.id });

    const lowered = recorded('legacy/41-resharer-updates-permissions.s2s.txt', '484/permissions');
    await world.ask('PUT', `/${String(passed.id)}`, { permissions: '1' });
    const change = await postOf(legacyServer, '/permissions');
    expect(change.path).toBe(lowered.path);
    expect(formOf(change.body)).toEqual({ ...formOf(lowered.body), token: 'GrantedToken22xxxxxxxx' });

    const undone = recorded('legacy/42-resharer-deletes-reshare.s2s.txt', '/revoke');
    await world.ask('DELETE', `/${String(passed.id)}`);
    expect((await postOf(legacyServer, '/revoke')).path).toBe(undone.path);
  });

  it('an ownCloud reshares alice’s folder: offered, accepted and left as recorded', async () => {
    const headers = { authorization: basicAuth('alice', PASSWORD) };
    await world.sharing.client.send({ method: 'MKCOL', target: '/remote.php/webdav/mine', headers });
    const given = recordOf(await shareOn('mine', `bea@${hostOf(ownCloud)}`));
    const shareWith = `bob@${hostOf(other)}`;
    const granted = await post('/ocm/notifications', {
      ...{ notificationType: 'REQUEST_RESHARE', resourceType: 'file', providerId: given.id },
      notification: { sharedSecret: given.token, senderId: 4, shareWith, message: 'x' },
    });

    const offer = JSON.parse(recorded('reshare-ocm/03-reshare.s2s.txt', 'providerId":"2167').body) as object;
    const own = world.sharing.gateway.url;
    expect(JSON.parse((await postOf(other, '/shares')).body)).toEqual({
      ...offer,
      ...{ shareWith, name: 'mine', providerId: granted.providerId, owner: `alice@${own}` },
      sender: `bea@${hostOf(ownCloud)}`,
      protocol: { name: 'webdav', options: { sharedSecret: granted.sharedSecret } },
    });

    const { sharedSecret, providerId } = granted;
    const [, made] = await world.list({ path: '/mine', reshares: 'true' });
    const [, recordedOne] = recordedReply('reshare.list-alice.v1.json') as Record<string, unknown>[];
    expect(Object.keys(made!)).toEqual([...Object.keys(recordedOne!), ...PROGRESS.split(' ')]);
    const requester = `bea@${hostOf(ownCloud)}`;
    expect(made).toMatchObject({ id: providerId, uid_owner: requester, displayname_owner: requester });

    const say = (notificationType: string) =>
      post('/ocm/notifications', {
        ...{ notificationType, resourceType: 'file', providerId },
        notification: { sharedSecret, message: 'x' },
      });
    const toRequester = (type: string): string => `"${type}","resourceType":"file","providerId":"4"`;
    for (const [type, recording] of [
      ['SHARE_ACCEPTED', 'reshare-ocm/06-third-party-unshares.s2s.txt'],
      ['SHARE_DECLINED', 'reshare-ocm/07-reshare2.s2s.txt'],
    ] as const) {
      for (const _ of [1, 2]) await say(type);
      const expected = readServerExchanges(recording)
        .filter(({ host, path }) => host.startsWith('oc-b') && path === OCM)
        .map(({ body }) => JSON.parse(body) as Notice & { notificationType: string })
        .find(({ notificationType }) => notificationType === type)!;
      const forwarded = await postOf(ownCloud, toRequester(type));
      expect(forwarded.path).toBe(OCM);
      expect(JSON.parse(forwarded.body)).toEqual({
        ...expected,
        notification: { ...expected.notification, sharedSecret },
      });
    }
    const types = ['SHARE_ACCEPTED', 'SHARE_DECLINED'];
    expect(types.map((type) => noticesTo(ownCloud, toRequester(type)))).toEqual([1, 1]);
  });

  it('an ownCloud reshares alice’s folder with an OpenCloud, and each gets alice’s changes in its own form', async () => {
    const headers = { authorization: basicAuth('alice', PASSWORD) };
    await world.sharing.client.send({ method: 'MKCOL', target: '/remote.php/webdav/wide', headers });
    const given = recordOf(await shareOn('wide', `bea@${hostOf(ownCloud)}`));
    const shareWith = `marie@${hostOf(openCloud)}`;
    const { sharedSecret, providerId } = await post('/ocm/notifications', {
      ...{ notificationType: 'REQUEST_RESHARE', resourceType: 'file', providerId: given.id },
      notification: { sharedSecret: given.token, senderId: 14, shareWith, message: 'x' },
    });
    const own = world.sharing.gateway.url;
    expect(JSON.parse((await postOf(openCloud, '/ocm/shares')).body)).toMatchObject({
      ...{ providerId, owner: `alice@${own}`, sender: `bea@${hostOf(ownCloud)}` },
      protocol: {
        name: 'multi',
        webdav: { sharedSecret, uri: `${own}/dav/ocm/${String(providerId)}` },
      },
    });

    const toRequester = '"providerId":"14"';
    await world.ask('PUT', `/${String(providerId)}`, { permissions: '1' });
    const told = JSON.parse((await postOf(ownCloud, toRequester)).body) as { notification: object };
    expect(told).toMatchObject({
      notificationType: 'RESHARE_CHANGE_PERMISSION',
      notification: { sharedSecret, permission: ['read'] },
    });
    // ownCloud answers such a message with the same one.
    for (const _ of [1, 2, 3]) await post('/ocm/notifications', { ...told, providerId });
    await world.ask('DELETE', `/${String(providerId)}`);
    await eventually('the end', () => noticesTo(ownCloud, '/14/revoke') === 1);
    expect(noticesTo(ownCloud, toRequester)).toBe(1);
    // An OpenCloud accepts every notice and does nothing; it gets the message anyway.
    await postOf(openCloud, 'SHARE_UNSHARED');
    const notices = openCloud.requests.filter(({ path }) => path === '/ocm/notifications');
    expect(
      notices.map(({ body }) => (JSON.parse(body) as { notificationType: string }).notificationType),
    ).toEqual(['SHARE_CHANGE_PERMISSION', 'SHARE_UNSHARED']);
  });

  it('a reshare of a share by bob of the same instance is requested from this server, as from any other server', async () => {
    await world.sharing.addUser('bob');
    const headers = { authorization: basicAuth('bob', PASSWORD) };
    await world.sharing.client.send({ method: 'MKCOL', target: '/remote.php/webdav/near', headers });
    const here = hostOf({ url: world.sharing.gateway.url });
    const given = { path: '/near', shareType: '6', shareWith: `alice@${here}` };
    await world.sharing.share('bob', given);
    await accept();
    const passed = recordOf(await shareOn('near', `bea@${hostOf(ownCloud)}`));
    expect(passed).toMatchObject({
      delivery_state: 'delivered',
      uid_file_owner: `bob@${world.sharing.gateway.url}`,
    });
    const [ofBob] = (await world.sharing.must('GET', SHARES, { as: 'bob', query: 'path=/near' })).data as {
      token: string;
    }[];
    expect(ofBob).toBeDefined();
    const offer = JSON.parse((await postOf(ownCloud, '"name":"near"')).body) as { protocol: object };
    expect(offer.protocol).toEqual({ name: 'webdav', options: { sharedSecret: passed.token } });
    await world.ask('DELETE', `/${String(passed.id)}`);
    await postOf(ownCloud, 'SHARE_UNSHARED');
  });

  it('a share from an OpenCloud with the right to share is reshared from here', async () => {
    const owner = `olga@${openCloud.url}`;
    await post('/ocm/shares', {
      ...{
        shareWith: `alice@${hostOf({ url: world.sharing.gateway.url })}`,
        name: 'cloud',
        providerId: 'o-1',
      },
      ...{ owner, sender: owner, ownerDisplayName: '', shareType: 'user', resourceType: 'folder' },
      protocol: {
        ...{ name: 'multi', options: {} },
        webdav: {
          uri: `${openCloud.url}/dav/ocm/o-1`,
          sharedSecret: 'SecretOfO1',
          permissions: ['read', 'write', 'share'],
        },
      },
    });
    await accept();
    const before = openCloud.requests.length;
    const passed = recordOf(await shareOn('cloud', `bob@${hostOf(other)}`, { permissions: '1' }));
    expect(passed).toMatchObject({ uid_file_owner: 'alice', delivery_state: 'delivered' });
    expect(other.taken.at(-1)).toMatchObject({ providerId: passed.id, recipient: 'bob' });
    const asked = openCloud.requests.slice(before).filter(({ method }) => method === 'POST');
    expect(asked).toEqual([]);
    await world.ask('DELETE', `/${String(passed.id)}`);
    const mark = `"SHARE_UNSHARED","resourceType":"file","providerId":"${String(passed.id)}"`;
    expect((await postOf(other, mark)).path).toBe(OCM);
  });
});
