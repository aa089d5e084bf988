import { createTestDatabase, eventually, type TestDatabase } from '../../libs/testing/src';
import { SharingWorld } from '../api/sharing-world';
import { sweepExpired } from './expired-shares';
import { AMONG_FAKES, SHARES } from './outgoing-world';

const REMOTE_SHARES = '/apps/files_sharing/api/v1/remote_shares';
const TEAM = '/cloud/groups/team/remote_members';

type Entry = Readonly<Record<string, unknown>>;

describe('a group with members at a partner', () => {
  let databases: TestDatabase[];
  let a: SharingWorld;
  let b: SharingWorld;
  let host: string;

  beforeAll(async () => {
    databases = await Promise.all([createTestDatabase({ poolSize: 2 }), createTestDatabase({ poolSize: 2 })]);
    const env = { ...AMONG_FAKES, FEDERATION_SYNC_WAIT: '10s' };
    const start = ({ url }: TestDatabase): Promise<SharingWorld> =>
      SharingWorld.start({ compatibility: 'owncloud10', databaseUrl: url, env });
    [a, b] = await Promise.all([start(databases[0]!), start(databases[1]!)]);
    host = new URL(b.gateway.url).host;
    for (const uid of ['alice', 'zoe', 'yan']) await a.addUser(uid);
    for (const uid of ['bob', 'ben', 'bea']) await b.addUser(uid);
    await a.must('POST', '/cloud/groups', { form: { groupid: 'team' } });
    await a.must('POST', '/cloud/users/zoe/groups', { form: { groupid: 'team' } });
    await join('bob', 'ben');
  }, 300_000);
  afterAll(async () => {
    await Promise.all([a.stop(), b.stop()]);
    await Promise.all(databases.map((database) => database.drop()));
  });

  const members = (uids: readonly string[]): Readonly<Record<string, string>> =>
    Object.fromEntries(uids.map((uid, at) => [`cloud_ids[${at}]`, `${uid}@${host}`]));
  async function join(...uids: string[]): Promise<void> {
    await a.must('POST', TEAM, { form: members(uids) });
  }
  const offers = async (as: string): Promise<readonly Entry[]> =>
    (await b.must('GET', `${REMOTE_SHARES}/all`, { as })).data as Entry[];
  const offerTo = (as: string, name: string): Promise<Entry> =>
    eventually(`the offer of ${name} to ${as}`, async () =>
      (await offers(as)).find((share) => share.name === `/${name}`),
    );
  const states = async (id: unknown): Promise<Entry> => {
    const record = await a.readShare('alice', id);
    const listed = record.remote_members as Entry[];
    return Object.fromEntries(
      listed.map(({ share_with: who, acceptance, reason }) => [
        String(who).split('@')[0],
        reason === null ? acceptance : [acceptance, reason].join(': '),
      ]),
    );
  };
  const become = (id: unknown, expected: Entry): Promise<unknown> =>
    eventually(JSON.stringify(expected), async () => {
      const now = await states(id);
      return JSON.stringify(now) === JSON.stringify(expected) ? now : undefined;
    });
  const shareFolder = async (name: string): Promise<unknown> => {
    await a.makeFolder('alice', `/${name}`);
    const { id } = await a.share('alice', { path: `/${name}`, shareType: '1', shareWith: 'team' });
    return id;
  };

  it('gets one share, with a separate offer to each member at the partner and their decisions in the record', async () => {
    const id = await shareFolder('Plans');
    const [forBob, forBen] = [await offerTo('bob', 'Plans'), await offerTo('ben', 'Plans')];
    expect(forBob).toMatchObject({ owner: 'alice', accepted: 0 });
    await b.must('POST', `${REMOTE_SHARES}/pending/${String(forBob.id)}`, { as: 'bob' });
    const reason = 'wrong team';
    await b.must('DELETE', `${REMOTE_SHARES}/pending/${String(forBen.id)}`, { as: 'ben', form: { reason } });
    await become(id, { ben: 'declined: wrong team', bob: 'accepted' });
    const record = await a.readShare('alice', id);
    expect(record).toMatchObject({
      ...{ share_type: 1, share_with: 'team' },
      ...{ remote_members_total: 2, remote_members_accepted: 1, remote_members_ended: 1 },
    });
    // The shares of members are not separate shares for users, and concern only the owner.
    const { data } = await a.must('GET', SHARES, { as: 'alice' });
    expect((data as Entry[]).map(({ share_type: type }) => type)).toEqual([1]);
    for (const method of ['GET', 'DELETE'] as const)
      expect((await a.ocs(method, `${SHARES}/${String(forBob.remote_id)}`, { as: 'alice' })).code).toBe(404);
    expect(await states(id)).toEqual({ ben: 'declined: wrong team', bob: 'accepted' });
    expect((await a.readShare('zoe', id)).remote_members).toBeUndefined();
    await a.must('DELETE', `${SHARES}/${String(id)}`, { as: 'alice' });
  });

  it('shares with later members, and ends the shares of those who leave', async () => {
    const id = await shareFolder('Later');
    await offerTo('bob', 'Later');
    await join('bea');
    await offerTo('bea', 'Later');
    await a.must('DELETE', TEAM, { form: members(['bea']) });
    await eventually('the end for one member', async () => (await offers('bea')).length === 0);
    expect((await offers('bob')).map(({ name }) => name)).toContain('/Later');
    expect(Object.keys(await states(id))).toEqual(['ben', 'bob']);
    await a.must('DELETE', `${SHARES}/${String(id)}`, { as: 'alice' });
  });

  it('sends changes to every member, and one call ends all', async () => {
    const id = await shareFolder('Changed');
    for (const uid of ['bob', 'ben']) {
      const offer = await offerTo(uid, 'Changed');
      await b.must('POST', `${REMOTE_SHARES}/pending/${String(offer.id)}`, { as: uid });
    }
    await become(id, { ben: 'accepted', bob: 'accepted' });
    await a.must('PUT', `${SHARES}/${String(id)}`, { as: 'alice', form: { permissions: '1' } });
    const granted = async (): Promise<unknown> =>
      databases[1]!.database.dataSource.query(
        `SELECT permissions FROM received_share WHERE name = 'Changed' AND state = 'accepted'`,
      );
    await eventually(
      'the new permissions',
      async () => JSON.stringify(await granted()) === '[{"permissions":1},{"permissions":1}]',
    );
    await a.must('DELETE', `${SHARES}/${String(id)}`, { as: 'alice' });
    for (const uid of ['bob', 'ben'])
      await eventually(`the end for ${uid}`, async () => (await offers(uid)).length === 0);
  });

  it('sends the note of the share, and a new one', async () => {
    await a.makeFolder('alice', '/Noted');
    const form = { path: '/Noted', shareType: '1', shareWith: 'team', note: 'first' };
    const { id } = await a.share('alice', form);
    expect(await offerTo('bob', 'Noted')).toMatchObject({ description: 'first' });
    await a.must('PUT', `${SHARES}/${String(id)}`, { as: 'alice', form: { note: 'second' } });
    await eventually('the second note', async () => (await offerTo('bob', 'Noted')).description === 'second');
    await a.must('DELETE', `${SHARES}/${String(id)}`, { as: 'alice' });
  });

  it('has the share no longer than federated shares may last, until the share gets another last day', async () => {
    const rule = ['default', 'enforce'].map((word) => `shareapi_${word}_expire_date_remote_share`);
    for (const key of rule) await a.set('core', key, 'yes');
    const id = await shareFolder('Limited');
    const query = <Row>(sql: string): Promise<Row[]> => databases[0]!.database.dataSource.query(sql, [id]);
    const lastDays = async (): Promise<unknown> =>
      (
        await query('SELECT DISTINCT expires_on - current_date AS days FROM share WHERE group_share_id = $1')
      )[0];
    const change = (form: Readonly<Record<string, string>>): Promise<unknown> =>
      a.must('PUT', `${SHARES}/${String(id)}`, { as: 'alice', form });
    const day = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    const expiration = Date.parse(day(8)) / 1000;
    expect(await offerTo('bob', 'Limited')).toMatchObject({ expiration });
    expect(await lastDays()).toEqual({ days: 7 });
    await change({ expireDate: day(3) });
    expect(await lastDays()).toEqual({ days: 3 });
    await change({ note: 'as before' });
    expect(await lastDays()).toEqual({ days: 3 });
    await change({ expireDate: day(30) });
    expect(await lastDays()).toEqual({ days: 7 });
    await query('UPDATE share SET expires_on = current_date - 1 WHERE group_share_id = $1');
    await sweepExpired(a);
    await become(id, { ben: 'expired', bob: 'expired' });
    await join('bea');
    await offerTo('bea', 'Limited');
    expect(await states(id)).toMatchObject({ ben: 'expired', bob: 'expired' });
    await change({ expireDate: day(20) });
    await become(id, { bea: 'unknown', ben: 'unknown', bob: 'unknown' });
    for (const key of rule) await a.unset('core', key);
    await a.must('DELETE', TEAM, { form: members(['bea']) });
    await a.must('DELETE', `${SHARES}/${String(id)}`, { as: 'alice' });
  });

  it('is offered the share again after a restore from the trash bin', async () => {
    const id = await shareFolder('Trashed');
    await offerTo('bob', 'Trashed');
    await a.remove('alice', '/Trashed');
    await eventually('the end', async () => (await offers('bob')).length === 0);
    expect((await a.ocs('GET', `${SHARES}/${String(id)}`, { as: 'alice' })).code).toBe(404);
    await a.restore('alice', '/Trashed');
    await offerTo('bob', 'Trashed');
    await a.must('DELETE', `${SHARES}/${String(id)}`, { as: 'alice' });
  });

  it('accepts no accounts of this server, and no invalid cloud ids', async () => {
    const own = `zoe@${new URL(a.gateway.url).host}`;
    for (const id of [own, 'zoe', '@', 'x'.repeat(2000)])
      expect((await a.ocs('POST', TEAM, { form: { 'cloud_ids[]': id } })).code).toBe(101);
  });

  it.each(['5', '17', '-1'])('has no other type of shares: %s stays refused', async (shareType) => {
    await a.makeFolder('alice', `/Other ${shareType}`);
    const form = { path: `/Other ${shareType}`, shareType, shareWith: 'team' };
    expect((await a.ocs('POST', SHARES, { as: 'alice', form })).code).toBe(400);
  });

  it('gets no offer that partners would not protect', async () => {
    const shareWith = async (name: string, download: boolean, secondFactor: boolean): Promise<unknown> => {
      await a.makeFolder('alice', `/${name}`);
      const attributes = JSON.stringify([
        { scope: 'permissions', key: 'download', enabled: download },
        { scope: 'authentication', key: 'second-factor', enabled: secondFactor },
      ]);
      const form = { path: `/${name}`, shareType: '1', shareWith: 'team', permissions: '1', attributes };
      return (await a.share('alice', form)).id;
    };
    const kept = [await shareWith('Watched', false, false), await shareWith('Guarded', true, true)];
    await shareWith('Open', true, false);
    await offerTo('bob', 'Open');
    const offered = (await offers('bob')).map(({ name }) => name);
    for (const name of ['/Watched', '/Guarded']) expect(offered).not.toContain(name);
    for (const id of kept) expect(await states(id)).toEqual({ ben: 'unknown', bob: 'unknown' });
  });

  it('gets no offer of a view-only share whose maker lost access to the node', async () => {
    const attributes = JSON.stringify([{ scope: 'permissions', key: 'download', enabled: false }]);
    const share = (as: string, shareType: string, shareWith: string): Promise<Entry> =>
      a.share(as, { path: '/Seen', shareType, shareWith, permissions: '17', attributes });
    await a.makeFolder('alice', '/Seen');
    const received = await share('alice', '0', 'yan');
    const { id } = await share('yan', '1', 'team');
    await a.must('DELETE', `${SHARES}/${String(received.id)}`, { as: 'alice' });
    await join('bea');
    const about = (table: string, column: string): Promise<unknown[]> =>
      databases[0]!.database.dataSource.query(`SELECT FROM ${table} WHERE ${column} = $1`, [id]);
    await eventually('the end of the due work', async () => {
      const due = await about('group_share_due', 'share_id');
      return due.length === 0 ? true : undefined;
    });
    expect(await about('share', 'group_share_id')).toEqual([]);
  });
});
