import { eventually } from '../../libs/testing/src';
import { SharingGateway } from '../sharing/sharing-gateway';
import { AMONG_FAKES, SHARES } from './outgoing-world';

const CALL = '/index.php/apps/federatedfilesharing/createFederatedShare';
const REMOTE = '/apps/files_sharing/api/v1/remote_shares';

let here: SharingGateway;
let there: SharingGateway;
beforeAll(async () => {
  [here, there] = (await Promise.all(
    ['here', 'there'].map(() => SharingGateway.start({ env: AMONG_FAKES })),
  )) as [SharingGateway, SharingGateway];
  await here.addUsers('alice');
  await there.addUsers('bob', 'ben', 'bea');
});
afterAll(() => Promise.all([here?.stop(), there?.stop()]));

const at = (gateway: SharingGateway, uid: string): string => `${uid}@${new URL(gateway.gateway.url).host}`;

let links = 0;

/** A folder of alice's with a file in it, and a link to it. */
async function link(
  form: Readonly<Record<string, string>> = {},
): Promise<{ id: string; token: string; name: string }> {
  const name = `linked-${(links += 1)}`;
  await here.dav('MKCOL', 'alice', `/${name}`);
  await here.store('alice', `/${name}/inside.txt`);
  const made = await here.ocs('POST', SHARES, 'alice', { path: `/${name}`, shareType: '3', ...form });
  expect(made.code).toBe(200);
  return { id: String(made.data.id), token: made.data.token, name };
}

async function save(
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; location: string | null; body: unknown }> {
  const body = new URLSearchParams(fields);
  const reply = await fetch(here.gateway.url + CALL, { method: 'POST', body, headers, redirect: 'manual' });
  const text = await reply.text();
  return { status: reply.status, location: reply.headers.get('location'), body: text && JSON.parse(text) };
}

const entries = async (uid: string, path = REMOTE): Promise<Record<string, unknown>[]> =>
  (await there.ocs('GET', path, uid)).data;
const mine = (list: Record<string, unknown>[], name: string) => list.find((one) => one.name === `/${name}`);

/** Saves it for a user there, who accepts it. @returns its place in their tree */
async function saved(
  uid: string,
  fields: { token: string; name: string; password?: string },
): Promise<string> {
  const { token, name, password = '' } = fields;
  const answer = await save({ shareWith: at(there, uid), token, password });
  expect(answer).toMatchObject({ status: 200, body: { remoteUrl: new URL(there.gateway.url).host } });
  const pending = await eventually('the offer', async () =>
    mine(await entries(uid, `${REMOTE}/pending`), name),
  );
  expect((await there.ocs('POST', `${REMOTE}/pending/${String(pending.id)}`, uid)).code).toBe(200);
  return String(mine(await entries(uid), name)!.mountpoint);
}

const status = async (gateway: SharingGateway, method: string, uid: string, path: string, body?: string) =>
  gateway.dav(method, uid, path, {}, body);

describe('a public link that is saved at another server', () => {
  it('has the content of the link, and is writable if the link is', async () => {
    const read = await link();
    const written = await link({ permissions: '15' });
    const reading = await saved('bob', read);
    const writing = await saved('bob', written);
    expect(await status(there, 'GET', 'bob', `${reading}/inside.txt`)).toBe(200);
    expect(await status(there, 'PUT', 'bob', `${reading}/new.txt`, 'new')).toBe(403);
    expect(await status(there, 'PUT', 'bob', `${writing}/new.txt`, 'new')).toBe(201);
    expect(await status(here, 'GET', 'alice', `/${written.name}/new.txt`)).toBe(200);
  });

  it('needs the password of the link', async () => {
    const given = await link({ password: 'open-sesame-please' });
    for (const password of ['', 'wrong'])
      expect((await save({ shareWith: at(there, 'bob'), token: given.token, password })).status).toBe(400);
    expect(mine(await entries('bob', `${REMOTE}/pending`), given.name)).toBeUndefined();
    const place = await saved('bob', { ...given, password: 'open-sesame-please' });
    expect(await status(there, 'GET', 'bob', `${place}/inside.txt`)).toBe(200);
  });

  it('ends with the link', async () => {
    const given = await link();
    const place = await saved('bob', given);
    expect((await here.ocs('DELETE', `${SHARES}/${given.id}`, 'alice')).code).toBe(200);
    await eventually('it is gone there', async () => mine(await entries('bob'), given.name) === undefined);
    expect(await status(there, 'GET', 'bob', `${place}/inside.txt`)).toBe(404);
  });

  it('ends when the link gets a password for the first time', async () => {
    const given = await link();
    await saved('bob', given);
    const form = { password: 'only-from-now-on' };
    expect((await here.ocs('PUT', `${SHARES}/${given.id}`, 'alice', form)).code).toBe(200);
    await eventually('it is gone there', async () => mine(await entries('bob'), given.name) === undefined);
  });

  it('is no longer writable after the link is read-only', async () => {
    const given = await link({ permissions: '15' });
    const place = await saved('bob', given);
    expect(await status(there, 'PUT', 'bob', `${place}/a.txt`, 'a')).toBe(201);
    expect((await here.ocs('PUT', `${SHARES}/${given.id}`, 'alice', { publicUpload: 'false' })).code).toBe(
      200,
    );
    expect(await status(there, 'PUT', 'bob', `${place}/b.txt`, 'b')).toBe(403);
  });

  it.each<[string, (token: string) => Record<string, string>]>([
    ['without a link', () => ({ shareWith: at(there, 'ben'), token: 'NoSuchLinkHere1' })],
    ['for nobody', (token) => ({ token, shareWith: '' })],
    ['for somebody without a server', (token) => ({ token, shareWith: 'ben' })],
    ['for the owner', (token) => ({ token, shareWith: at(here, 'alice') })],
    ['for nobody there', (token) => ({ token, shareWith: at(there, 'nobody') })],
  ])('is refused %s', async (_, fields) => {
    const { token } = await link();
    const answer = await save(fields(token));
    expect(answer).toMatchObject({ status: 400, body: { message: expect.any(String) } });
  });

  it('is refused if the link only accepts files, and while outgoing shares are switched off', async () => {
    const drop = await link({ permissions: '4' });
    expect((await save({ shareWith: at(there, 'ben'), token: drop.token })).status).toBe(400);
    const { token } = await link();
    await here.set('files_sharing/outgoing_server2server_share_enabled', 'no');
    expect((await save({ shareWith: at(there, 'ben'), token })).status).toBe(400);
    expect(await (await fetch(`${here.gateway.url}/s/${token}`)).text()).not.toContain('Add to your server');
    await here.unset('files_sharing/outgoing_server2server_share_enabled');
    expect(await entries('ben', `${REMOTE}/pending`)).toEqual([]);
  });

  it('is refused after a hundred times', async () => {
    const { id, token } = await link();
    await here.query(
      `INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions, link_id,
         delivery_state, acceptance)
       SELECT 6, node_id, owner_uid, initiator_uid, n || '@x.example', n || '@x.example', 1, id, 'dead', 'unknown'
       FROM share, generate_series(1, 100) n WHERE id = $1`,
      [id],
    );
    expect((await save({ shareWith: at(there, 'ben'), token })).status).toBe(400);
    await here.query('DELETE FROM share WHERE link_id = $1 AND recipient = $2', [id, '7@x.example']);
    expect((await save({ shareWith: at(there, 'ben'), token })).status).toBe(200);
  });

  it('is offered once to the same account, with the same answer', async () => {
    const given = await link();
    const form = { shareWith: at(there, 'bea'), token: given.token };
    const { body } = await save(form);
    expect(body).toMatchObject({ providerId: expect.stringMatching(/^\d+$/) });
    expect(await save(form)).toMatchObject({ status: 200, body });
    await eventually('the offer', async () => mine(await entries('bea', `${REMOTE}/pending`), given.name));
    expect(await entries('bea', `${REMOTE}/pending`)).toHaveLength(1);
    const locked = { password: 'only-from-now-on' };
    await here.ocs('PUT', `${SHARES}/${given.id}`, 'alice', locked);
    expect((await save(form)).status).toBe(400);
  });
});

describe('the page of a link', () => {
  it('has a form for saving, which shows the result', async () => {
    const { token, name } = await link();
    const page = await (await fetch(`${here.gateway.url}/s/${token}`)).text();
    expect(page).toContain(`action="${CALL}"`);
    const fields = { shareWith: at(there, 'ben'), token };
    const browser = { accept: 'text/html,application/xhtml+xml', 'sec-fetch-site': 'same-origin' };
    const answer = await save(fields, browser);
    expect(answer).toMatchObject({ status: 303, location: `/s/${token}?saved=yes` });
    const back = await (await fetch(here.gateway.url + answer.location!)).text();
    expect(back).toContain('accept it at your server');
    expect(mine(await entries('ben', `${REMOTE}/pending`), name)).toBeDefined();
    const refused = await save({ ...fields, shareWith: 'x@"y' }, browser);
    expect(refused.location).toBe(`/s/${token}?saved=no&shareWith=x%40%22y`);
    const again = await (await fetch(here.gateway.url + refused.location!)).text();
    expect(again).toContain('Is the address right?');
    expect(again).toContain('value="x@&quot;y"');
  });

  it('asks for the password once', async () => {
    const { token } = await link({ password: 'open-sesame-please' });
    const password = new URLSearchParams({ password: 'open-sesame-please' });
    const opened = await fetch(`${here.gateway.url}/s/${token}`, { method: 'POST', body: password });
    const page = await opened.text();
    const signed = Object.fromEntries(
      ['signature', 'expires'].map((field) => [
        field,
        new RegExp(`name="${field}" value="(.*?)"`).exec(page)![1]!,
      ]),
    );
    expect((await save({ shareWith: at(there, 'ben'), token, ...signed })).status).toBe(200);
    const forged = { ...signed, signature: '00'.repeat(32) };
    expect((await save({ shareWith: at(there, 'bea'), token, ...forged })).status).toBe(400);
  });
});
