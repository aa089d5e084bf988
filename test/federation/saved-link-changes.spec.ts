import { UPDATE } from '#sharing';
import { eventually } from '../../libs/testing/src';
import { SharingGateway } from '../sharing/sharing-gateway';
import { sweepExpired } from './expired-shares';
import { AMONG_FAKES, SHARES } from './outgoing-world';

const REMOTE = '/apps/files_sharing/api/v1/remote_shares';
const VIEW_ONLY = JSON.stringify([{ scope: 'permissions', key: 'download', enabled: false }]);

let owners: SharingGateway;
let savers: SharingGateway;
beforeAll(async () => {
  const env = { ...AMONG_FAKES, FEDERATION_SYNC_WAIT: '30s' };
  // Permissions of a link can be changed in this mode.
  const modes = [{ ...env, COMPATIBILITY: 'owncloud10' }, env];
  [owners, savers] = (await Promise.all(modes.map((mode) => SharingGateway.start({ env: mode })))) as [
    SharingGateway,
    SharingGateway,
  ];
  await owners.addUsers('alice', 'anna', 'abel');
  await savers.addUsers('bob');
});
afterAll(() => Promise.all([owners?.stop(), savers?.stop()]));

interface Saved {
  readonly owner: string;
  /** Id of the link. */
  readonly id: string;
  readonly url: string;
  readonly name: string;
  /** Place of the link in bob's tree. */
  readonly mount: string;
}

let links = 0;

/** A link of a user here that bob has saved at the other server. */
async function saved(form: Readonly<Record<string, string>> = {}, owner = 'alice'): Promise<Saved> {
  const name = `linked-${(links += 1)}`;
  await owners.dav('MKCOL', owner, `/${name}`);
  await owners.store(owner, `/${name}/inside.txt`);
  const made = await owners.ocs('POST', SHARES, owner, { path: `/${name}`, shareType: '3', ...form });
  expect(made.code).toBe(200);
  const { url, id } = made.data as { url: string; id: string };
  const { password = '' } = form;
  const answer = await savers.ocs('POST', REMOTE, 'bob', { url, password });
  expect(answer).toMatchObject({ code: 200, data: { mountpoint: expect.any(String) } });
  return { owner, id: String(id), url, name, mount: String(answer.data.mountpoint) };
}

const change = async ({ owner, id }: Saved, form: Readonly<Record<string, string>>): Promise<void> =>
  expect((await owners.ocs('PUT', `${SHARES}/${id}`, owner, form)).code).toBe(200);
const read = ({ mount }: Saved): Promise<number> => savers.dav('GET', 'bob', `${mount}/inside.txt`);
const write = ({ mount }: Saved, name: string): Promise<number> =>
  savers.dav('PUT', 'bob', `${mount}/${name}`, {}, 'new');

interface Received {
  readonly mountpoint: string;
  readonly permissions: number;
  /** UNIX seconds of the end of the last day; missing if there is none. */
  readonly expiration?: number;
}
/** The share as bob's server knows it. */
const received = async ({ mount }: Saved): Promise<Received | undefined> =>
  (await savers.ocs('GET', REMOTE, 'bob')).data.find(({ mountpoint }: Received) => mountpoint === mount);
const knows = (link: Saved, what: string, isRight: (share: Received) => boolean): Promise<unknown> =>
  eventually(`the other server knows ${what}`, async () => {
    const share = await received(link);
    return share !== undefined && isRight(share);
  });
const isMounted = async (link: Saved): Promise<boolean> => (await received(link)) !== undefined;
const gone = (link: Saved): Promise<boolean> =>
  eventually('it is gone from the tree of the person who saved it', async () => !(await isMounted(link)));
const shareOf = async ({ id }: Saved): Promise<unknown> =>
  (await owners.query('SELECT permissions, expires_on::text FROM share WHERE link_id = $1', [id]))[0];

describe('a link that changes after users saved it at another server', () => {
  it('ends for them on its last day, which can be moved', async () => {
    const link = await saved();
    await change(link, { expireDate: '2099-01-02' });
    expect(await shareOf(link)).toMatchObject({ expires_on: '2099-01-02' });
    await knows(link, 'the last day', ({ expiration }) => expiration === Date.parse('2099-01-03') / 1000);
    expect(await read(link)).toBe(200);
    await change(link, { expireDate: '' });
    expect(await shareOf(link)).toMatchObject({ expires_on: null });
    await knows(link, 'that there is no last day', ({ expiration }) => expiration === undefined);
    await owners.query(`UPDATE share SET expires_on = current_date - 2 WHERE id = $1`, [link.id]);
    expect(await read(link)).not.toBe(200);
    await sweepExpired(owners);
    await gone(link);
  });

  it('reduces their permissions with its own, but does not raise them', async () => {
    const link = await saved({ permissions: '15' });
    expect(await write(link, 'a.txt')).toBe(201);
    await change(link, { publicUpload: 'false' });
    await knows(link, 'the new permissions', ({ permissions }) => (permissions & UPDATE) === 0);
    expect(await write(link, 'b.txt')).toBe(403);
    await change(link, { permissions: '15' });
    expect(await shareOf(link)).toMatchObject({ permissions: 1 });
    expect(await write(link, 'c.txt')).toBe(403);
    expect(await read(link)).toBe(200);
  });

  it('ends for them after it only accepts files, and can be saved again when it shows its content', async () => {
    const link = await saved({ permissions: '15' });
    await change(link, { permissions: '4' });
    await gone(link);
    await change(link, { permissions: '1' });
    const answer = await savers.ocs('POST', REMOTE, 'bob', { url: link.url, password: '' });
    expect(answer.code).toBe(200);
    expect(await savers.dav('GET', 'bob', `${answer.data.mountpoint}/inside.txt`)).toBe(200);
  });

  it('is view-only for them after it becomes view-only', async () => {
    const link = await saved();
    await change(link, { attributes: VIEW_ONLY });
    expect(await read(link)).toBe(403);
    expect(await isMounted(link)).toBe(true);
  });

  it('remains their share after its password is removed, but not after it gets a new one', async () => {
    const link = await saved({ password: 'open-sesame-please' });
    await change(link, { password: '' });
    expect(await read(link)).toBe(200);
    await change(link, { password: 'another-sesame-please' });
    await gone(link);
  });

  it('ends for them when its node is deleted', async () => {
    const link = await saved();
    expect(await owners.dav('DELETE', 'alice', `/${link.name}`)).toBe(204);
    await gone(link);
    expect(await read(link)).toBe(404);
  });

  it('gives them nothing while its creator cannot sign in, and ends with the creator', async () => {
    const link = await saved({}, 'anna');
    const user = '/cloud/users/anna';
    expect((await owners.ocs('PUT', `${user}/disable`, 'admin')).code).toBe(200);
    expect(await read(link)).not.toBe(200);
    expect((await owners.ocs('PUT', `${user}/enable`, 'admin')).code).toBe(200);
    await eventually('it is there again', async () => (await read(link)) === 200, 60_000);
    expect((await owners.ocs('DELETE', user, 'admin')).code).toBe(200);
    await gone(link);
  });

  it('can be ended for one of them in the list of shares', async () => {
    const link = await saved({}, 'abel');
    const { data } = await owners.ocs('GET', `${SHARES}?path=/${link.name}`, 'abel');
    const given = data.find(({ share_type: type }: { share_type: number }) => type === 6);
    expect((await owners.ocs('DELETE', `${SHARES}/${given.id}`, 'abel')).code).toBe(200);
    await gone(link);
    expect((await owners.ocs('GET', `${SHARES}/${link.id}`, 'abel')).code).toBe(200);
  });

  it('ends for them no later than federated shares may', async () => {
    const rule = ['default', 'enforce'].map((word) => `core/shareapi_${word}_expire_date_remote_share`);
    for (const key of rule) await owners.set(key, 'yes');
    const link = await saved({ permissions: '15' });
    const daysLeft = async (): Promise<unknown> =>
      (
        await owners.query('SELECT expires_on - current_date AS days FROM share WHERE link_id = $1', [
          link.id,
        ])
      )[0];
    expect(await daysLeft()).toEqual({ days: 7 });
    const day = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    await change(link, { expireDate: day(3) });
    expect(await daysLeft()).toEqual({ days: 3 });
    await change(link, { publicUpload: 'false' });
    expect(await daysLeft()).toEqual({ days: 3 });
    await change(link, { expireDate: '' });
    expect(await daysLeft()).toEqual({ days: 7 });
    for (const key of rule) await owners.unset(key);
  });

  it('gives them no more than links may give now', async () => {
    const link = await saved({ permissions: '15' });
    await owners.set('core/shareapi_allow_public_upload', 'no');
    expect(await write(link, 'a.txt')).toBe(403);
    expect(await read(link)).toBe(200);
    await owners.unset('core/shareapi_allow_public_upload');
    await owners.set('core/shareapi_allow_links', 'no');
    expect(await read(link)).not.toBe(200);
    await owners.unset('core/shareapi_allow_links');
    await eventually('it is there again', async () => (await write(link, 'b.txt')) === 201, 60_000);
  });
});
