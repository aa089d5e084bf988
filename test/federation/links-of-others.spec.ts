import { eventually } from '../../libs/testing/src';
import { SharingGateway } from '../sharing/sharing-gateway';
import { AMONG_FAKES, SHARES } from './outgoing-world';

const REMOTE = '/apps/files_sharing/api/v1/remote_shares';
type Fields = Readonly<Record<string, string>>;

let links = 0;

/** Alice's links are there; bob, ben and bea save them here. */
describe.each(['documented', 'owncloud10'])("another server's public link (%s)", (compatibility) => {
  let here: SharingGateway;
  let there: SharingGateway;
  beforeAll(async () => {
    const env = { ...AMONG_FAKES, COMPATIBILITY: compatibility, FEDERATION_SYNC_WAIT: '30s' };
    [here, there] = (await Promise.all(['here', 'there'].map(() => SharingGateway.start({ env })))) as [
      SharingGateway,
      SharingGateway,
    ];
    await here.addUsers('bob', 'ben', 'bea');
    await there.addUsers('alice');
  });
  afterAll(() => Promise.all([here?.stop(), there?.stop()]));

  async function link(form: Fields = {}): Promise<{ id: string; url: string; token: string; name: string }> {
    const name = `linked-${(links += 1)}`;
    await there.dav('MKCOL', 'alice', `/${name}`);
    await there.store('alice', `/${name}/inside.txt`);
    const made = await there.ocs('POST', SHARES, 'alice', { path: `/${name}`, shareType: '3', ...form });
    expect(made.code).toBe(200);
    return { id: String(made.data.id), url: made.data.url, token: made.data.token, name };
  }

  const save = (uid: string, form: Fields) => here.ocs('POST', REMOTE, uid, form);
  const mounts = async (uid: string): Promise<Record<string, unknown>[]> =>
    (await here.ocs('GET', REMOTE, uid)).data;
  const pending = async (uid: string): Promise<Record<string, unknown>[]> =>
    (await here.ocs('GET', `${REMOTE}/pending`, uid)).data;
  const status = (method: string, path: string, body?: string) => here.dav(method, 'bob', path, {}, body);

  async function saved(form: Fields): Promise<string> {
    const answer = await save('bob', form);
    expect(answer).toMatchObject({ code: 200, data: { mountpoint: expect.any(String), accepted: 1 } });
    return String(answer.data.mountpoint);
  }

  it('is mounted after its address is pasted, and is read-only', async () => {
    const { url, name } = await link();
    const place = await saved({ url });
    expect(place).toBe(`/${name}`);
    expect(await status('GET', `${place}/inside.txt`)).toBe(200);
    expect(await status('PUT', `${place}/new.txt`, 'new')).toBe(403);
    expect((await pending('bob')).map((share) => share.name)).not.toContain(`/${name}`);
  });

  it('is writable if the link is, and comes in two parts from the page of its server', async () => {
    const { token, name } = await link({ permissions: '15' });
    const place = await saved({ remote: there.gateway.url, token });
    expect(await status('PUT', `${place}/new.txt`, 'new')).toBe(201);
    expect(await there.dav('GET', 'alice', `/${name}/new.txt`)).toBe(200);
  });

  it('needs its password, which is not stored', async () => {
    const { url } = await link({ password: 'open-sesame-please' });
    for (const password of ['', 'wrong'])
      expect(await save('bob', { url, password })).toMatchObject({
        code: 403,
        message: expect.stringContaining('password'),
      });
    const place = await saved({ url, password: 'open-sesame-please' });
    expect(await status('GET', `${place}/inside.txt`)).toBe(200);
    expect(await here.query('SELECT id FROM foreign_link WHERE sealed_keys IS NOT NULL')).toEqual([]);
  });

  it('is the same mount if it is saved again, and a new one after it was left', async () => {
    const { url, name } = await link();
    const place = await saved({ url });
    const before = (await mounts('bob')).length;
    expect(await saved({ url })).toBe(place);
    expect(await mounts('bob')).toHaveLength(before);
    const { id } = (await mounts('bob')).find(({ mountpoint }) => mountpoint === place)!;
    expect((await here.ocs('DELETE', `${REMOTE}/${String(id)}`, 'bob')).code).toBe(200);
    const given = `SELECT s.id FROM share s JOIN node n ON n.id = s.node_id WHERE s.link_id IS NOT NULL AND n.name = $1`;
    await eventually('its server knows', async () => (await there.query(given, [name])).length === 0);
    expect(await status('GET', `${await saved({ url })}/inside.txt`)).toBe(200);
  });

  it('ends with the link', async () => {
    const { id, url } = await link();
    const place = await saved({ url });
    expect((await there.ocs('DELETE', `${SHARES}/${id}`, 'alice')).code).toBe(200);
    await eventually('it is gone here', async () =>
      (await mounts('bob')).every(({ mountpoint }) => mountpoint !== place),
    );
    expect(await status('GET', `${place}/inside.txt`)).toBe(404);
  });

  it.each<[string, number, () => Promise<Fields>]>([
    ['that is no address', 400, async () => ({ url: 'https://cloud.example.org/' })],
    ['without anything', 400, async () => ({})],
    ['of this server', 400, async () => ({ url: `${here.gateway.url}/s/NoSuchLinkHere1` })],
    ['that does not exist', 404, async () => ({ url: `${there.gateway.url}/s/NoSuchLinkHere1` })],
    ['that only takes files', 400, async () => ({ url: (await link({ permissions: '4' })).url })],
    ['at a server that is away', 503, async () => ({ url: 'http://127.0.0.1:9/s/NoSuchLinkHere1' })],
  ])('is refused %s', async (_, code, form) => {
    const answer = await save('ben', await form());
    expect(answer).toMatchObject({ code, message: expect.stringMatching(/\w/) });
    expect(await mounts('ben')).toEqual([]);
  });

  it('is refused if incoming shares are switched off, and from denied hosts', async () => {
    const { url } = await link();
    await here.set('files_sharing/incoming_server2server_share_enabled', 'no');
    expect((await save('ben', { url })).code).toBe(403);
    await here.unset('files_sharing/incoming_server2server_share_enabled');
    await here.set('federatedfilesharing/allowed_hosts', '["other.example"]');
    expect((await save('ben', { url })).code).toBe(403);
    await here.unset('federatedfilesharing/allowed_hosts');
    expect(await here.query(`SELECT reason FROM foreign_link WHERE uid = 'ben' AND state = 'saved'`)).toEqual(
      [],
    );
  });

  it('can be saved by one user about twenty times a minute', async () => {
    const { url } = await link();
    const codes = [];
    for (let n = 0; n < 40; n += 1) codes.push((await save('bea', { url })).code);
    expect([codes[0], codes.at(-1)]).toEqual([200, 429]);
  });
});
