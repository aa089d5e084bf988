import { InboundPartner } from './inbound-partner';

let partner: InboundPartner;
/** Id of alice's share from the partner. */
let origin: number;
let file: string;
/** Alice's shares with bob, with a group that contains carol, and with dora, who has not decided. */
let shares: { readonly bob: string; readonly staff: string; readonly dora: string };

beforeAll(async () => {
  partner = await InboundPartner.start();
  const { gateway } = partner;
  await gateway.addUsers('carol', 'dora');
  await gateway.addGroup('staff', 'carol');
  const offered = { name: 'plans', resourceType: 'folder', expiration: 4_000_000_000 };
  await partner.offer('p-1', 'SecretNumber1', offered);
  const { data } = await partner.received('GET', '/pending');
  origin = (data as { id: number }[])[0]!.id;
  await partner.received('POST', `/pending/${origin}`);
  file = String(((await partner.received('GET', `/${origin}`)).data as { file_id: number }).file_id);
  const shareWith = (shareType: string, name: string) =>
    gateway.shareId('alice', { path: '/plans', shareType, shareWith: name, permissions: '1' });
  shares = {
    bob: await shareWith('0', 'bob'),
    staff: await shareWith('1', 'staff'),
    dora: await shareWith('0', 'dora'),
  };
  await gateway.query('UPDATE share_recipient SET state = 1 WHERE uid = $1', ['dora']);
});
afterAll(() => partner?.stop());

/** The things that people here see of the folder. */
async function seen() {
  const { gateway } = partner;
  const received = async (uid: string) => (await gateway.received(uid)).map(({ id }) => id);
  const shareOf = async (uid: string, id: string) => (await gateway.shares('GET', `/${id}`, uid)).http;
  const notices = (await gateway.ocs('GET', '/apps/notifications/api/v1/notifications', 'dora')).data as {
    object_id: string;
  }[];
  const byId = (uid: string) =>
    fetch(`${partner.url}/remote.php/dav/meta/${file}`, {
      method: 'PROPFIND',
      headers: { authorization: gateway.authorizationOf(uid), depth: '0' },
    });
  return {
    entries: [await gateway.entries('alice'), await gateway.entries('bob'), await gateway.entries('carol')],
    received: [await received('bob'), await received('carol'), await received('dora')],
    shares: [await shareOf('bob', shares.bob), await shareOf('carol', shares.staff)],
    files: [(await byId('bob')).status, (await byId('carol')).status],
    notices: notices.map(({ object_id }) => object_id),
  };
}

it('a folder of a partner that somebody passed on vanishes for its recipients here when its share ends, and comes back with it', async () => {
  const all = {
    entries: [['/plans'], ['/plans'], ['/plans']],
    received: [[shares.bob], [shares.staff], [shares.dora]],
    shares: [200, 200],
    files: [207, 207],
    notices: [`ocinternal:${shares.dora}`],
  };
  expect(await seen()).toMatchObject(all);
  await partner.gateway.query('UPDATE received_share SET expires_at = now() WHERE id = $1', [origin]);
  expect(await seen()).toMatchObject({
    entries: [[], [], []],
    received: [[], [], []],
    shares: [404, 404],
    files: [404, 404],
    notices: [],
  });
  const later = { permissions: 31, expiration: 4_100_000_000 };
  expect((await partner.notify('SHARE_CHANGE_PERMISSION', 'p-1', 'SecretNumber1', later)).http).toBe(201);
  expect(await seen()).toMatchObject(all);
});

it('comes back beside what its recipients have at its place by then', async () => {
  await partner.gateway.query('UPDATE received_share SET expires_at = now() WHERE id = $1', [origin]);
  await partner.gateway.store('bob', '/plans/');
  const later = { permissions: 31, expiration: 4_200_000_000 };
  await partner.notify('SHARE_CHANGE_PERMISSION', 'p-1', 'SecretNumber1', later);
  expect(await partner.gateway.entries('bob')).toEqual(['/plans', '/plans (2)']);
  expect(await partner.gateway.entries('carol')).toEqual(['/plans']);
});
