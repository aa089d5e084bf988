import {
  eventually,
  startLegacyServer,
  startNextcloud,
  startOpenCloud,
  startOwnCloud,
  type FakePartner,
} from '../../libs/testing/src';
import { hostOf, OutgoingWorld, recordOf } from './outgoing-world';

let world: OutgoingWorld;
const partners: FakePartner[] = [];

beforeAll(async () => {
  world = await OutgoingWorld.start();
});
afterAll(async () => {
  await world.stop();
  await Promise.all(partners.map((partner) => partner.close()));
});

async function present(starting: Promise<FakePartner>): Promise<FakePartner> {
  const partner = await starting;
  partners.push(partner);
  return partner;
}

const PRODUCTS = [
  { product: 'ownCloud', start: startOwnCloud, dialect: 'ocm' },
  { product: 'Nextcloud', start: startNextcloud, dialect: 'ocm' },
  { product: 'OpenCloud', start: startOpenCloud, dialect: 'ocm' },
  { product: 'a server from before OCM', start: startLegacyServer, dialect: 'legacy' },
] as const;

describe.each(PRODUCTS)('a partner that runs $product', ({ product, start, dialect }) => {
  const file = `for ${product}.txt`;
  let partner: FakePartner;
  beforeAll(async () => {
    partner = await present(start());
  });

  it('gets a share once, and the caller sees that it was accepted', async () => {
    const envelope = await world.offer(file, `bea@${hostOf(partner)}`);
    expect(envelope.code).toBe(100);
    const record = recordOf(envelope);
    expect(record).toMatchObject({
      share_type: 6,
      share_with: `bea@${hostOf(partner)}`,
      share_with_displayname: `bea@${hostOf(partner)}`,
      file_target: '',
      permissions: 19,
      delivery_state: 'delivered',
      delivery_attempts: 1,
      delivery_next_attempt: null,
      delivery_error: null,
      acceptance: 'unknown',
      acceptance_source: null,
    });
    expect(record.token).toMatch(/^[A-Za-z0-9]{32}$/);
    expect(partner.taken).toEqual([{ dialect, providerId: record.id, recipient: 'bea' }]);
  });

  it('is not asked again for the same recipient', async () => {
    const again = await world.ask('POST', '', {
      path: `/${file}`,
      shareType: '6',
      shareWith: `bea@http://${hostOf(partner)}/`,
    });
    expect(again).toMatchObject({ code: 403 });
    expect(again.message).toBe(
      `Sharing ${file} failed, because this item is already shared with bea@http://${hostOf(partner)}`,
    );
    expect(partner.taken).toHaveLength(1);
  });

  it('refuses an unknown account: the share is gone, and the caller gets the partner’s text', async () => {
    const refused = await world.offer(`refused by ${product}.txt`, `ghost@${hostOf(partner)}`);
    expect(refused.code).toBe(403);
    expect(refused.message).toMatch(/^Federated Sharing failed: .*(not exist|not found)/i);
    expect(await world.list({ path: `/refused by ${product}.txt` })).toEqual([]);
  });
});

describe('a known partner', () => {
  it.each([
    ['ownCloud', startOwnCloud],
    ['Nextcloud', startNextcloud],
    ['OpenCloud', startOpenCloud],
  ] as const)(
    '%s gets shares from the time of its outage once, when it answers again',
    async (product, start) => {
      const before = await present(start());
      const bea = `bea@${hostOf(before)}`;
      expect((await world.offer(`first for ${product}.txt`, bea)).code).toBe(100);
      await before.close();
      const envelope = await world.offer(`while ${product} is away.txt`, bea);
      expect(envelope.code).toBe(100);
      const { id, delivery_state: state, delivery_error: error } = recordOf(envelope);
      expect({ state, error }).toEqual({ state: 'retrying', error: 'not-listening' });
      const back = await present(start({ port: before.port }));
      await world.letTimePass();
      await world.settled(id, { delivery_state: 'delivered' });
      expect(back.taken).toEqual([{ dialect: 'ocm', providerId: id, recipient: 'bea' }]);
    },
  );

  it('delays no call while its breaker is open: the share is stored at once, and delivered when the partner answers again', async () => {
    const partner = await present(startOwnCloud());
    const bea = `bea@${hostOf(partner)}`;
    await world.offer('before the outage.txt', bea);
    await world.query(
      `UPDATE peer SET gate = jsonb_set(gate, '{breaker,openUntilMs}', to_jsonb(extract(epoch FROM now()) * 1000 + 3600000))
       WHERE host_key = '${hostOf(partner)}'`,
    );
    const { id, ...record } = recordOf(await world.offer('in the outage.txt', bea));
    expect(record).toMatchObject({ delivery_state: 'retrying', delivery_attempts: 0, delivery_error: null });
    expect(record.delivery_next_attempt).toEqual(expect.any(Number));
    await world.letTimePass();
    const settled = await world.settled(id, { delivery_state: 'delivered' });
    expect(settled).toMatchObject({ delivery_next_attempt: null });
  });

  it('gets the end of a share, in its dialect and with its secret', async () => {
    const partner = await present(startOwnCloud());
    const { id, token } = recordOf(await world.offer('ends.txt', `bea@${hostOf(partner)}`));
    expect((await world.ask('DELETE', `/${String(id)}`)).code).toBe(100);
    const notice = await eventually('the notice', () =>
      partner.requests.find(({ path }) => path.endsWith('/notifications')),
    );
    expect(JSON.parse(notice.body)).toEqual({
      notificationType: 'SHARE_UNSHARED',
      resourceType: 'file',
      providerId: id,
      notification: { sharedSecret: token, message: 'File was unshared' },
    });
  });

  it('gets the end of a share whose file is lost', async () => {
    const partner = await present(startNextcloud());
    const { id } = recordOf(await world.offer('lost.txt', `marie@${hostOf(partner)}`));
    await world.remove('lost.txt');
    const notice = await eventually('the notice', () =>
      partner.requests.find(({ path }) => path.endsWith('/notifications')),
    );
    expect(JSON.parse(notice.body)).toMatchObject({ notificationType: 'SHARE_UNSHARED', providerId: id });
  });

  it('gets no message about changed permissions if its product has none', async () => {
    const partner = await present(startOwnCloud());
    const { id } = recordOf(await world.offer('changed.txt', `bea@${hostOf(partner)}`));
    const changed = await world.ask('PUT', `/${String(id)}`, { permissions: '1' });
    expect(recordOf(changed)).toMatchObject({ permissions: 1 });
    const { delivery_error: reason } = await world.settled(id, { delivery_state: 'not-sent' });
    expect(reason).toContain('no such message');
    expect(partner.requests.filter(({ path }) => path.endsWith('/notifications'))).toEqual([]);
  });
});

describe('a partner that was denied later', () => {
  it('gets no more shares, but gets the end of existing ones', async () => {
    const before = await present(startOwnCloud());
    const bea = `bea@${hostOf(before)}`;
    const { id: had } = recordOf(await world.offer('had.txt', bea));
    await before.close();
    const { id: waiting } = recordOf(await world.offer('waiting.txt', bea));
    await world.sharing.set('federatedfilesharing', 'denied_hosts', '["127.0.0.1"]');
    const back = await present(startOwnCloud({ port: before.port }));
    await world.letTimePass();
    expect(await world.settled(waiting, { delivery_state: 'dead' })).toMatchObject({
      delivery_error: `sharing with ${hostOf(before)} is not allowed`,
    });
    expect((await world.ask('DELETE', `/${String(had)}`)).code).toBe(100);
    await eventually('the notice', () =>
      back.requests.find(({ path, body }) => path.endsWith('/notifications') && body.includes('UNSHARED')),
    );
    await world.sharing.unset('federatedfilesharing', 'denied_hosts');
    expect(back.taken).toEqual([]);
  });
});

describe('an impossible share', () => {
  beforeAll(() => world.sharing.put('alice', '/nowhere.txt'));
  const ask = async (form: Readonly<Record<string, string>>): Promise<[number, string | null]> => {
    const { code, message } = await world.ask('POST', '', { path: '/nowhere.txt', shareType: '6', ...form });
    return [code, message];
  };
  afterEach(async () => {
    expect(await world.list({ path: '/nowhere.txt' })).toEqual([]);
  });

  it('with an invalid cloud id', async () => {
    const words =
      'Sharing nowhere.txt failed, could not find nobody, maybe the server is currently unreachable.';
    expect(await ask({ shareWith: 'nobody' })).toEqual([403, words]);
  });

  it('without a recipient', async () => {
    expect(await ask({})).toEqual([404, 'shareWith parameter must be a string']);
  });

  it('with oneself', async () => {
    const own = new URL(world.sharing.gateway.url).host;
    expect(await ask({ shareWith: `alice@${own}` })).toEqual([
      403,
      'Not allowed to create a federated share with the same user',
    ]);
  });

  it('with a denied host, or one that is not allowed', async () => {
    const partner = await present(startOwnCloud());
    await world.sharing.set('federatedfilesharing', 'denied_hosts', '["127.0.0.1"]');
    const refused = [403, `Sharing with ${hostOf(partner)} is not allowed by the administrator`];
    expect(await ask({ shareWith: `bea@${hostOf(partner)}` })).toEqual(refused);
    await world.sharing.unset('federatedfilesharing', 'denied_hosts');
    await world.sharing.set('federatedfilesharing', 'allowed_hosts', '["cloud.example.org"]');
    expect(await ask({ shareWith: `bea@${hostOf(partner)}` })).toEqual(refused);
    await world.sharing.unset('federatedfilesharing', 'allowed_hosts');
    expect(partner.requests).toEqual([]);
  });

  it('while it is switched off: federated shares are also in no list', async () => {
    const partner = await present(startOwnCloud());
    const { id } = recordOf(await world.offer('listed.txt', `bea@${hostOf(partner)}`));
    const ids = async (query: Readonly<Record<string, string>> = {}): Promise<unknown[]> =>
      (await world.list({ path: '/listed.txt', ...query })).map((share) => share.id);
    expect(await ids({ share_types: '6' })).toEqual([id]);
    await world.sharing.set('files_sharing', 'outgoing_server2server_share_enabled', 'no');
    expect(await ids({ share_types: '6' })).toEqual([]);
    expect(await ids()).toEqual([]);
    expect(await ask({ shareWith: `bea@${hostOf(partner)}` })).toEqual([
      403,
      'Sharing /alice/files/nowhere.txt failed because the back end does not allow shares from type 6',
    ]);
    await world.sharing.unset('files_sharing', 'outgoing_server2server_share_enabled');
  });
});
