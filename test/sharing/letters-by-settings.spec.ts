import { SharingGateway } from './sharing-gateway';

const ASKED = `<d:propfind xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns" xmlns:s="http://open-collaboration-services.org/ns">
  <d:prop><oc:permissions/><s:share-permissions/></d:prop></d:propfind>`;

let people: SharingGateway;
beforeAll(async () => {
  people = await SharingGateway.start();
  await people.addUsers('alice', 'bob');
  await people.addGroup('team', 'bob');
  await people.store('alice', '/given/');
  await people.store('bob', '/own/');
  await people.share('alice', { path: '/given', shareWith: 'bob', permissions: '31' });
});
afterAll(() => people?.stop());

/** oc:permissions and ocs:share-permissions of a folder of bob. */
async function shownToBob(path: string): Promise<(string | undefined)[]> {
  const headers = { authorization: people.authorizationOf('bob'), depth: '0' };
  const reply = await fetch(people.davUrl(path), { method: 'PROPFIND', headers, body: ASKED });
  return [...(await reply.text()).matchAll(/permissions[^<>]*>([^<]+)</g)].map((match) => match[1]);
}

/** OC-Perm of a file that bob writes. */
async function writtenByBob(path: string): Promise<string | null> {
  const headers = { authorization: people.authorizationOf('bob') };
  return (await fetch(people.davUrl(path), { method: 'PUT', headers, body: 'x' })).headers.get('oc-perm');
}

it.each([
  ['sharing without limits', [], ['RDNVCK', '31', 'RDNVW'], ['SRDNVCK', '31', 'SRDNVW']],
  [
    'no sharing of received nodes',
    [['core/shareapi_allow_resharing', 'no']],
    ['RDNVCK', '31', 'RDNVW'],
    ['SDNVCK', '15', 'SDNVW'],
  ],
  [
    'no sharing by members of a group',
    [
      ['core/shareapi_exclude_groups', 'yes'],
      ['core/shareapi_exclude_groups_list', '["team"]'],
    ],
    ['DNVCK', '15', 'DNVW'],
    ['SDNVCK', '15', 'SDNVW'],
  ],
])('with %s, WebDAV shows what can be shared', async (_, settings, own, received) => {
  for (const [name, value] of settings) await people.set(name!, value!);
  expect([...(await shownToBob('/own')), await writtenByBob('/own/a.txt')]).toEqual(own);
  expect([...(await shownToBob('/given')), await writtenByBob('/given/b.txt')]).toEqual(received);
  for (const [name] of settings) await people.unset(name!);
});
