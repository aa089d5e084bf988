import { eventually, replyJson, startFakeServer, type FakeServer } from '../../libs/testing/src';
import { SharingGateway, type Answer } from '../sharing/sharing-gateway';
import { AMONG_FAKES } from './outgoing-world';

const API = '/apps/ocm/api/v1';
const NOTICES = '/apps/notifications/api/v1/notifications';

interface Side {
  readonly gateway: SharingGateway;
  readonly uid: string;
  /** Id of the other one among the contacts of this one. */
  contact: string;
}

let here: Side;
let there: Side;
beforeAll(async () => {
  const gateways = await Promise.all(['here', 'there'].map(() => SharingGateway.start({ env: AMONG_FAKES })));
  here = { gateway: gateways[0]!, uid: 'alice', contact: '' };
  there = { gateway: gateways[1]!, uid: 'bob', contact: '' };
  await here.gateway.addUsers('alice', 'ann');
  await there.gateway.addUsers('bob', 'ben');
  const { data } = await here.gateway.ocs('POST', `${API}/invitations`, 'alice', {});
  await there.gateway.ocs('POST', `${API}/invitations/accept`, 'bob', { invitation: data.invitation });
  for (const side of [here, there]) {
    // On a busy machine an acceptance is answered before the inviting server has answered.
    const contact = await eventually('the contact', async () => {
      const { data } = await side.gateway.ocs('GET', `${API}/contacts`, side.uid);
      return data[0];
    });
    side.contact = String(contact.id);
  }
});
afterAll(() => Promise.all([here?.gateway.stop(), there?.gateway.stop()]));
afterEach(async () => {
  for (const { gateway } of [here, there]) {
    await gateway.query('DELETE FROM notification');
    await gateway.query('DELETE FROM sent_share_request');
    await gateway.query('UPDATE peer SET paused = false');
    await gateway.query('TRUNCATE call_budget');
  }
});

const hostOf = ({ gateway }: Side): string => new URL(gateway.gateway.url).host;
const ask = ({ gateway, uid, contact }: Side, share: string, as = uid): Promise<Answer> =>
  gateway.ocs('POST', `${API}/share-requests`, as, { contact, share });
const listed = async ({ gateway, uid }: Side): Promise<Record<string, unknown>[]> =>
  (await gateway.ocs('GET', `${API}/share-requests`, uid)).data;

async function subjects({ gateway, uid }: Side): Promise<string[]> {
  const { data } = await gateway.ocs('GET', NOTICES, uid);
  return Array.isArray(data) ? data.map(({ subject }: { subject: string }) => subject) : [];
}

async function fileOf({ gateway, uid }: Side, path: string): Promise<string> {
  await gateway.store(uid, path);
  const rows = await gateway.query<{ id: string }>('SELECT id FROM node WHERE owner_uid = $1 AND name = $2', [
    uid,
    path.slice(1),
  ]);
  return String(rows[0]!.id);
}

describe('a request for a share between two gateways', () => {
  it.each(['there', 'here'] as const)('reaches the owner %s, who gives the share', async (whose) => {
    const [asking, asked] = whose === 'there' ? [here, there] : [there, here];
    const id = await fileOf(asked, `/wanted-${whose}.txt`);
    const { code, data } = await ask(asking, id);
    expect([code, data]).toEqual([
      200,
      expect.objectContaining({
        owner: `${asked.uid}@${hostOf(asked)}`,
        share: id,
        state: 'delivered',
        error: '',
      }),
    ]);
    const requester = `${asking.uid}@${hostOf(asking)}`;
    expect(await subjects(asked)).toEqual([`${requester} asks you to share "wanted-${whose}.txt"`]);
    const shareWith = { path: `/wanted-${whose}.txt`, shareType: '6', shareWith: requester };
    const given = await asked.gateway.ocs('POST', '/apps/files_sharing/api/v1/shares', asked.uid, shareWith);
    expect(given.code).toBe(200);
    const pending = await asking.gateway.ocs(
      'GET',
      '/apps/files_sharing/api/v1/remote_shares/pending',
      asking.uid,
    );
    expect(pending.data.map(({ name }: { name: string }) => name)).toContain(`/wanted-${whose}.txt`);
  });

  it('is understood as the address of the file there', async () => {
    const id = await fileOf(there, '/linked.txt');
    const address = `${there.gateway.gateway.url}/f/${id}`;
    expect((await ask(here, address)).data).toMatchObject({ share: address, state: 'delivered' });
    expect(await subjects(there)).toHaveLength(1);
  });

  it('gets the same answer whether there is such a file or not', async () => {
    const id = await fileOf(there, '/there.txt');
    const { gateway } = there;
    await gateway.store('ben', '/of-another.txt');
    const [foreign] = await gateway.query<{ id: string }>(
      `SELECT id FROM node WHERE name = 'of-another.txt'`,
    );
    const answers = [];
    for (const share of [id, String(foreign!.id), '999999999', 'no-number']) {
      const { code, data } = await ask(here, share);
      answers.push([code, { ...data, id: 0, share: '', since: 0 }]);
    }
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(await subjects(there)).toHaveLength(1);
  });

  it('is made once for each file', async () => {
    const id = await fileOf(there, '/once.txt');
    const first = await ask(here, id);
    expect((await ask(here, id)).data).toEqual(first.data);
    expect(await listed(here)).toHaveLength(1);
    const sent = await here.gateway.query(
      `SELECT FROM outbox_message WHERE kind = 'share-request' AND payload ->> 'resource' = $1`,
      [id],
    );
    expect(sent).toHaveLength(1);
  });

  it('waits for a server that gets no messages, and is not sent if it is taken back', async () => {
    const id = await fileOf(there, '/waiting.txt');
    await here.gateway.query('UPDATE peer SET paused = true');
    const { data } = await ask(here, id);
    expect(data).toMatchObject({ state: 'pending' });
    const other = { ...here, uid: 'ann' };
    expect(await listed(other)).toEqual([]);
    const remove = (uid: string): Promise<Answer> =>
      here.gateway.ocs('DELETE', `${API}/share-requests/${data.id}`, uid);
    expect((await remove('ann')).code).toBe(404);
    expect((await remove('alice')).code).toBe(200);
    expect(await listed(here)).toEqual([]);
    const [message] = await here.gateway.query<{ state: string }>(
      `SELECT state FROM outbox_message WHERE subject_type = 'share-request' AND subject_id = $1`,
      [data.id],
    );
    expect(message!.state).toBe('superseded');
  });

  it('is refused if the owner does not have the person as a contact any more', async () => {
    const id = await fileOf(there, '/refused.txt');
    const kept = await there.gateway.query<Record<string, unknown>>(
      `UPDATE contact SET remote_user = 'other' RETURNING id`,
    );
    const { data } = await ask(here, id);
    expect(data).toMatchObject({ state: 'refused' });
    expect(await subjects(here)).toEqual([`Your request to bob@${hostOf(there)} for "${id}" was refused`]);
    expect(await subjects(there)).toEqual([]);
    await there.gateway.query(`UPDATE contact SET remote_user = 'alice' WHERE id = $1`, [kept[0]!.id]);
  });

  it('needs a contact of the caller, a resource at that server, and a rule that allows it', async () => {
    expect((await ask(here, '4711', 'ann')).code).toBe(404);
    expect((await ask({ ...here, contact: '0' }, '4711')).code).toBe(404);
    expect((await ask({ ...here, contact: 'x' }, '4711')).code).toBe(404);
    expect((await ask(here, '')).code).toBe(400);
    expect((await ask(here, 'https://elsewhere.example/f/1')).code).toBe(400);
    await here.gateway.set('files_sharing/incoming_server2server_share_enabled', 'no');
    expect((await ask(here, '4711')).code).toBe(403);
    await here.gateway.unset('files_sharing/incoming_server2server_share_enabled');
    await here.gateway.set('federatedfilesharing/denied_hosts', JSON.stringify([hostOf(there)]));
    expect((await ask(here, '4711')).code).toBe(403);
    await here.gateway.unset('federatedfilesharing/denied_hosts');
    expect(await here.gateway.query('SELECT FROM sent_share_request')).toEqual([]);
  });

  it('is one of at most fifty', async () => {
    await here.gateway.query(
      `INSERT INTO sent_share_request (uid, owner, resource) SELECT 'alice', 'x@y', 'n' || n FROM generate_series(1, 50) n`,
    );
    expect((await ask(here, 'one more')).code).toBe(403);
    expect(await listed(here)).toHaveLength(50);
  });
});

describe('requests to a server that takes none', () => {
  let server: FakeServer;
  beforeAll(async () => {
    server = await startFakeServer((request, response) => {
      if (request.path === '/.well-known/ocm')
        return replyJson(response, 200, {
          enabled: true,
          apiVersion: '1.4.0',
          endPoint: `${server.url}/ocm`,
          resourceTypes: [{ name: 'file', shareTypes: ['user'], protocols: { webdav: '/dav/' } }],
          capabilities: ['http-sig', 'notifications'],
        });
      return replyJson(response, 404, {});
    });
  });
  afterAll(() => server.close());

  it('is not sent, and the person who asks is told', async () => {
    const host = new URL(server.url).host;
    const rows = await here.gateway.query<{ id: string }>(
      `WITH made AS (INSERT INTO peer (host_key) VALUES ($1) RETURNING id)
       INSERT INTO contact (uid, peer_id, remote_user, display_name) SELECT 'alice', id, 'marie', 'Marie' FROM made RETURNING id`,
      [host],
    );
    const side = { ...here, contact: String(rows[0]!.id) };
    const { data } = await ask(side, '4711');
    expect(data).toMatchObject({ owner: `marie@${host}`, state: 'not-sent' });
    expect(await subjects(here)).toEqual([`Your request to marie@${host} for "4711" could not be delivered`]);
    expect(server.requests.filter(({ path }) => path.includes('request-share'))).toEqual([]);
  });

  it('is not sent in the name of an account that has ended', async () => {
    await here.gateway.query('UPDATE peer SET paused = true');
    const { data } = await ask(here, 'late');
    await here.gateway.query(`UPDATE user_account SET enabled = false WHERE uid = 'alice'`);
    await here.gateway.query('UPDATE peer SET paused = false');
    await eventually('the message is given up', async () => {
      const found = await here.gateway.query<{ error_class: string }>(
        `SELECT error_class FROM outbox_message WHERE subject_type = 'share-request' AND subject_id = $1 AND state = 'dead'`,
        [data.id],
      );
      return found[0]?.error_class === 'policy';
    });
    await here.gateway.query(`UPDATE user_account SET enabled = true WHERE uid = 'alice'`);
  });
});

it('are limited in pace', async () => {
  await here.gateway.query('UPDATE peer SET paused = true');
  const codes: number[] = [];
  for (let n = 0; n < 22; n += 1) codes.push((await ask(here, '4711')).code);
  expect(codes.slice(0, 5)).toEqual([200, 200, 200, 200, 200]);
  expect(codes.at(-1)).toBe(403);
});
