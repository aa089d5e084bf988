import { ADMIN, eventually } from '../../libs/testing/src';
import { SharingGateway, type Answer } from '../sharing/sharing-gateway';
import { offerBody } from './inbound-partner';
import { AMONG_FAKES, SHARES } from './outgoing-world';

const API = '/apps/ocm/api/v1';

let here: SharingGateway;
let there: SharingGateway;
beforeAll(async () => {
  [here, there] = (await Promise.all(
    ['here', 'there'].map(() => SharingGateway.start({ env: AMONG_FAKES })),
  )) as [SharingGateway, SharingGateway];
  await here.addUsers('alice', 'ann');
  await there.addUsers('bob');
});
afterAll(() => Promise.all([here?.stop(), there?.stop()]));

const hostOf = (gateway: SharingGateway): string => new URL(gateway.gateway.url).host;

async function invite(
  description = '',
): Promise<{ id: number; token: string; invitation: string; expiration: number }> {
  const made = await here.ocs('POST', `${API}/invitations`, 'alice', { description });
  expect(made.code).toBe(200);
  return made.data;
}

const accept = (invitation: string): Promise<Answer> =>
  there.ocs('POST', `${API}/invitations/accept`, 'bob', { invitation });

/** Reply of a partner's server to an acceptance. */
async function accepted(
  body: Readonly<Record<string, string>>,
  asForm = false,
): Promise<{ status: number; type: string | null; json: unknown }> {
  const reply = await fetch(`${here.gateway.url}/ocm/invite-accepted`, {
    method: 'POST',
    headers: { 'content-type': asForm ? 'application/x-www-form-urlencoded' : 'application/json' },
    body: asForm ? new URLSearchParams(body) : JSON.stringify(body),
  });
  return { status: reply.status, type: reply.headers.get('content-type'), json: await reply.json() };
}

const presented = (token: string, more: Readonly<Record<string, string>> = {}) => ({
  recipientProvider: 'cloud.partner.example',
  token,
  userID: 'marie',
  email: 'marie@partner.example',
  name: 'Marie',
  ...more,
});

const contactsOf = async (gateway: SharingGateway, uid: string): Promise<Record<string, unknown>[]> =>
  (await gateway.ocs('GET', `${API}/contacts`, uid)).data;

describe('an invitation between two instances', () => {
  it('makes contacts of both, once', async () => {
    const { invitation, expiration } = await invite('for bob');
    expect(Buffer.from(invitation, 'base64').toString()).toMatch(
      new RegExp(`^[A-Za-z0-9]{32}@${hostOf(here)}$`),
    );
    expect(expiration * 1000 - Date.now()).toBeGreaterThan(23 * 3_600_000);
    const { code, data } = await accept(invitation);
    expect([code, data]).toEqual([200, expect.objectContaining({ user_id: 'alice', idp: hostOf(here) })]);
    expect(await contactsOf(there, 'bob')).toEqual([data]);
    expect(await contactsOf(here, 'alice')).toEqual([
      expect.objectContaining({ user_id: 'bob', idp: hostOf(there), share_with: `bob@${hostOf(there)}` }),
    ]);
    expect(await contactsOf(here, 'ann')).toEqual([]);
    expect((await accept(invitation)).code).toBe(409);
    expect(await contactsOf(there, 'bob')).toHaveLength(1);
  });

  it('is required for partners without a decision', async () => {
    await Promise.all([
      here.set('federatedfilesharing/outgoing_default_trust', 'invited'),
      there.set('federatedfilesharing/incoming_default_trust', 'invited'),
    ]);
    const share = async (uid: string): Promise<Answer> => {
      await here.store(uid, '/invited.txt').catch(() => undefined);
      const shareWith = `bob@${hostOf(there)}`;
      return here.ocs('POST', SHARES, uid, { path: '/invited.txt', shareType: '6', shareWith });
    };
    expect((await share('ann')).code).toBe(403);
    const given = await share('alice');
    expect(given.code).toBe(200);
    const pending = await there.ocs('GET', '/apps/files_sharing/api/v1/remote_shares/pending', 'bob');
    expect(pending.data.map((record: { remote_id: string }) => record.remote_id)).toEqual([
      String(given.data.id),
    ]);
    // Even if the other server allows everybody, this one still refuses strangers.
    await here.unset('federatedfilesharing/outgoing_default_trust');
    expect((await share('ann')).code).not.toBe(200);
    const [contact] = await contactsOf(there, 'bob');
    expect((await there.ocs('DELETE', `${API}/contacts/${String(contact!.id)}`, 'bob')).code).toBe(200);
    expect(await contactsOf(there, 'bob')).toEqual([]);
    const offer = { ...offerBody('991', 'SecretOfAlice'), shareWith: `bob@${hostOf(there)}` };
    const owner = `alice@${hostOf(here)}`;
    const reply = await fetch(`${there.gateway.url}/ocm/shares`, {
      method: 'POST',
      body: JSON.stringify({ ...offer, owner, sender: owner }),
    });
    expect(reply.status).toBe(403);
  });

  it('is still required when a waiting share is sent', async () => {
    const [contact] = await contactsOf(here, 'alice');
    await here.set('federatedfilesharing/outgoing_default_trust', 'invited');
    await here.query('UPDATE peer SET paused = true');
    await here.store('alice', '/late.txt');
    const shareWith = String(contact!.share_with);
    const waiting = await here.ocs('POST', SHARES, 'alice', { path: '/late.txt', shareType: '6', shareWith });
    expect(waiting.code).toBe(200);
    await here.ocs('DELETE', `${API}/contacts/${String(contact!.id)}`, 'alice');
    await here.query('UPDATE peer SET paused = false');
    const died = await eventually('the offer is given up', async () => {
      const rows = await here.query<{ error_message: string }>(
        `SELECT error_message FROM outbox_message WHERE subject_id = $1 AND state = 'dead'`,
        [waiting.data.id],
      );
      return rows[0];
    });
    expect(died.error_message).toBe(`sharing with ${hostOf(there)} needs an invitation`);
    await here.unset('federatedfilesharing/outgoing_default_trust');
  });

  it('stores no token', async () => {
    const { token, invitation } = await invite();
    const dump = async (gateway: SharingGateway): Promise<string> =>
      JSON.stringify(
        await Promise.all(
          ['invitation', 'invitation_acceptance', 'contact'].map((table) =>
            gateway.query(`SELECT t::text FROM ${table} t`),
          ),
        ),
      );
    expect(await dump(here)).not.toContain(token);
    await accept(invitation);
    expect(await dump(there)).not.toContain(token);
    expect(await there.query(`SELECT FROM invitation_acceptance WHERE sealed_token IS NOT NULL`)).toEqual([]);
  });
});

describe('an invitation', () => {
  it('is listed without its token until it is accepted, and can be withdrawn', async () => {
    const { id, token } = await invite('the second');
    const listed = (await here.ocs('GET', `${API}/invitations`, 'alice')).data;
    expect(listed).toContainEqual({ id, description: 'the second', expiration: expect.any(Number) });
    expect((await here.ocs('DELETE', `${API}/invitations/${id}`, 'ann')).code).toBe(404);
    expect((await here.ocs('DELETE', `${API}/invitations/${id}`, 'alice')).code).toBe(200);
    expect((await accepted(presented(token))).status).toBe(400);
  });

  it.each([
    ['by mail where none is sent', { recipient: 'bob@partner.example' }, 403],
    ['with a long description', { description: 'x'.repeat(256) }, 400],
  ])('cannot be made %s', async (_what, form, code) => {
    expect((await here.ocs('POST', `${API}/invitations`, 'ann', form)).code).toBe(code);
    expect((await here.ocs('GET', `${API}/invitations`, 'ann')).data).toEqual([]);
  });

  it('is refused above a hundred, or if sharing with other servers is off', async () => {
    await here.query(`INSERT INTO invitation (uid, token_hmac, expires_at)
      SELECT 'ann', decode(lpad(to_hex(i), 8, '0'), 'hex'), now() + interval '1 hour' FROM generate_series(1, 100) AS i`);
    const make = async (): Promise<number> => (await here.ocs('POST', `${API}/invitations`, 'ann')).code;
    expect(await make()).toBe(403);
    await here.query(`DELETE FROM invitation WHERE uid = 'ann'`);
    expect(await make()).toBe(200);
    const switches = ['incoming', 'outgoing'].map(
      (one) => `files_sharing/${one}_server2server_share_enabled`,
    );
    for (const name of switches) await here.set(name, 'no');
    expect([await make(), (await accepted(presented('any'))).status]).toEqual([403, 501]);
    for (const name of switches) await here.unset(name);
  });

  it('ends after its time', async () => {
    const { id, token } = await invite();
    await here.query('UPDATE invitation SET expires_at = now() WHERE id = $1', [id]);
    expect(await accepted(presented(token))).toMatchObject({
      status: 400,
      json: { message: 'The invitation has ended' },
    });
  });

  it('is accepted once, even by several at once', async () => {
    const { token } = await invite();
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map((userID) => accepted(presented(token, { userID }))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
  });

  it('an invitation of a disabled user cannot be accepted', async () => {
    await here.addUsers('leaver');
    const made = await here.ocs('POST', `${API}/invitations`, 'leaver');
    await here.ocs('PUT', '/cloud/users/leaver/disable', ADMIN.uid);
    expect((await accepted(presented(made.data.token))).status).toBe(400);
  });

  it.each<[string, Record<string, string>, boolean, string]>([
    [
      'OpenCloud',
      { userID: 'bob2', recipientProvider: 'http://gw.partner.example:9200' },
      false,
      'bob2@gw.partner.example:9200',
    ],
    ['oCIS', { userID: '51dc30dd@cloud.partner.example' }, false, '51dc30dd@cloud.partner.example'],
    ['reva, as a form', { userID: 'einstein' }, true, 'einstein@cloud.partner.example'],
    ['OpenCloud, with its opaque id', { userID: 'YjFmNzRl==' }, false, 'YjFmNzRl==@cloud.partner.example'],
  ])('is accepted in the form of %s', async (_product, changes, asForm, shareWith) => {
    const { token } = await invite();
    const answer = await accepted(presented(token, changes), asForm);
    expect(answer).toEqual({
      status: 200,
      type: 'application/json; charset=utf-8',
      json: { userID: 'alice', email: '', name: 'alice' },
    });
    expect(await contactsOf(here, 'alice')).toContainEqual(
      expect.objectContaining({
        share_with: shareWith,
        display_name: 'Marie',
        mail: 'marie@partner.example',
      }),
    );
  });

  it.each<[string, number, Record<string, string>]>([
    ['an unknown token', 400, { token: 'no-such-token' }],
    ['no token', 400, { token: '' }],
    ['no user', 400, { userID: '' }],
    ['no provider', 400, { recipientProvider: '' }],
    ['an address that is no provider', 400, { recipientProvider: 'a b' }],
  ])('is not accepted with %s: %i', async (_what, status, changes) => {
    const { token } = await invite();
    expect((await accepted(presented(token, changes))).status).toBe(status);
    expect((await accepted(presented(token))).status).toBe(200);
  });

  it('is not accepted by a denied partner, nor by this server, and neither is stored', async () => {
    const { token } = await invite();
    const form = { host: 'evil.example', trust: 'denied' };
    await here.ocs('POST', '/apps/federation/api/v1/partners', ADMIN.uid, form);
    expect((await accepted(presented(token, { recipientProvider: 'evil.example' }))).status).toBe(403);
    expect((await accepted(presented(token, { recipientProvider: hostOf(here) }))).status).toBe(400);
    await accepted(presented('no-such-token', { recipientProvider: 'stranger.example' }));
    expect(await here.query(`SELECT FROM peer WHERE host_key = 'stranger.example'`)).toEqual([]);
    expect((await accepted(presented(token))).status).toBe(200);
  });
});
