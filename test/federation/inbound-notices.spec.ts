import { Database, DoubtedShareRepository } from '#persistence';
import { eventually } from '#testing';
import { InboundPartner } from './inbound-partner';

let partner: InboundPartner;
beforeAll(async () => {
  partner = await InboundPartner.start();
  await partner.hold('third.example');
});
afterAll(() => partner?.stop());

interface SentRow {
  readonly permissions: number;
  readonly acceptance: string;
  readonly acceptance_source: string | null;
  readonly revision: number;
}

async function sent(id: string): Promise<SentRow | undefined> {
  const [row] = await partner.gateway.query<SentRow>(
    'SELECT permissions, acceptance, acceptance_source, revision FROM share WHERE id = $1',
    [id],
  );
  return row;
}

async function messagesTo(id: string): Promise<object[]> {
  await partner.eventsHandled();
  return partner.gateway.query('SELECT kind FROM outbox_message WHERE subject_id = $1', [id]);
}

async function receivedState(providerId: string): Promise<string | undefined> {
  const [row] = await partner.gateway.query<{ state: string }>(
    'SELECT state FROM received_share WHERE provider_id = $1',
    [providerId],
  );
  return row?.state;
}

const notices = (): Promise<object[]> =>
  partner.gateway.query(`SELECT object_id FROM notification WHERE object_type = 'remote_share'`);

/** Its offer was cut without an answer and made again. */
const OFFERED_TWICE = `
  INSERT INTO outbox_message (subject_type, subject_id, peer_id, kind, revision, dedupe_key, payload, state, maybe_delivered,
    deadline_at, finished_at)
  SELECT 'share', id, peer_id, 'share-create', 0, 'twice/' || id, '{}', 'delivered', true, now(), now() FROM share WHERE id = $1`;

describe('a share of ours', () => {
  it('is accepted by its recipient, and stays accepted', async () => {
    const id = await partner.sentShare('/a1.txt', 'SecretOfA1');
    for (const _ of [1, 2]) {
      const { http, json } = await partner.notify('SHARE_ACCEPTED', id, 'SecretOfA1');
      expect([http, json]).toEqual([201, {}]);
    }
    expect(await sent(id)).toMatchObject({ acceptance: 'accepted', acceptance_source: 'notification' });
    expect(await messagesTo(id)).toEqual([]);
  });

  it.each([
    ['declined', false],
    ['left', true],
  ])('ends when it is %s, and no message goes to the partner that ended it', async (_what, accepted) => {
    const id = await partner.sentShare(`/end-${accepted}.txt`, `SecretOfEnd${accepted}`);
    if (accepted) await partner.notify('SHARE_ACCEPTED', id, `SecretOfEnd${accepted}`);
    expect((await partner.notify('SHARE_DECLINED', id, `SecretOfEnd${accepted}`)).http).toBe(201);
    expect(await sent(id)).toBeUndefined();
    expect(await messagesTo(id)).toEqual([]);
  });

  it('that was declined gets the same answer to a second decline, at once or later', async () => {
    const id = await partner.sentShare('/a2.txt', 'SecretOfA2');
    const copies = Array.from({ length: 50 }, () => partner.notify('SHARE_DECLINED', id, 'SecretOfA2'));
    const answers = [
      ...(await Promise.all(copies)),
      await partner.notify('SHARE_DECLINED', id, 'SecretOfA2'),
    ];
    expect(new Set(answers.map(({ http, text }) => `${http} ${text}`))).toEqual(new Set(['201 {}']));
    const [{ count }] = (await partner.gateway.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM inbox_message WHERE kind = 'share-declined'
         AND peer_id = (SELECT id FROM peer WHERE host_key = 'cloud.partner.example')`,
    )) as [{ count: number }];
    expect(count).toBeGreaterThan(0);
    // The same message in another dialect.
    expect((await partner.legacy(`/${id}/decline`, { token: 'SecretOfA2' })).http).toBe(200);
  });

  describe('a share that may be there twice and was declined once', () => {
    const WEEK = `interval '8 days'`;
    const doubted = async (path: string, secret: string): Promise<string> => {
      const id = await partner.sentShare(path, secret);
      await partner.gateway.query(OFFERED_TWICE, [id]);
      await partner.notify('SHARE_ACCEPTED', id, secret);
      await partner.notify('SHARE_DECLINED', id, secret);
      await partner.gateway.query(`UPDATE share SET doubted_at = doubted_at - ${WEEK} WHERE id = $1`, [id]);
      return id;
    };
    const endUnused = (): Promise<number> =>
      new DoubtedShareRepository(
        partner.gateway.gateway.instance.app.nest.get(Database, { strict: false }),
      ).endUnused(10);

    it('ends after a week without a read, and its initiator gets a notification', async () => {
      const id = await doubted('/unused.txt', 'SecretOfUnused');
      // A share that another transaction changes at this moment is left to the next run.
      await eventually('the end of the share', async () => {
        await endUnused();
        return (await sent(id)) === undefined;
      });
      expect(await messagesTo(id)).toEqual([{ kind: 'share-create' }]);
      await partner.eventsHandled();
      const told = await partner.gateway.query<{ subject: string }>(
        `SELECT subject FROM notification WHERE object_type = 'ended_share' AND object_id = $1`,
        [id],
      );
      expect(told[0]?.subject).toMatch(/ left your share "unused.txt"$/);
    });

    it('stays when its content is read, and another decline puts it in doubt again', async () => {
      const id = await doubted('/used.txt', 'SecretOfUsed');
      const credentials = Buffer.from('SecretOfUsed:').toString('base64');
      const headers = { authorization: `Basic ${credentials}` };
      expect((await fetch(`${partner.url}/public.php/webdav/`, { headers })).status).toBe(200);
      await eventually('its use to be noted', async () => (await sent(id))?.acceptance === 'accepted');
      await endUnused();
      expect(await sent(id)).toMatchObject({ acceptance: 'accepted', acceptance_source: 'access' });
      await partner.notify('SHARE_DECLINED', id, 'SecretOfUsed');
      await endUnused();
      expect(await sent(id)).toMatchObject({ acceptance: 'unknown' });
    });
  });

  it('that may be there twice survives one decline after acceptance, and ends with the second', async () => {
    const id = await partner.sentShare('/twice.txt', 'SecretOfTwice');
    await partner.gateway.query(OFFERED_TWICE, [id]);
    await partner.notify('SHARE_ACCEPTED', id, 'SecretOfTwice');
    expect((await partner.notify('SHARE_DECLINED', id, 'WrongSecret')).http).toBe(403);
    expect(await sent(id)).toMatchObject({ acceptance: 'accepted' });
    expect((await partner.notify('SHARE_DECLINED', id, 'SecretOfTwice')).http).toBe(201);
    expect(await sent(id)).toMatchObject({ acceptance: 'unknown', acceptance_source: null });
    expect((await partner.notify('SHARE_DECLINED', id, 'SecretOfTwice')).http).toBe(201);
    expect(await sent(id)).toBeUndefined();
  });

  it('that ended here gets the answer of a decline, in both dialects, and only with its secret', async () => {
    const id = await partner.sentShare('/ended-here.txt', 'SecretOfEnded');
    await partner.gateway.query('DELETE FROM share WHERE id = $1', [id]);
    expect((await partner.notify('SHARE_DECLINED', id, 'SecretOfEnded')).http).toBe(201);
    expect((await partner.legacy(`/${id}/decline`, { token: 'SecretOfEnded' })).http).toBe(200);
    expect((await partner.notify('SHARE_DECLINED', id, 'SecretOfAnother')).http).toBe(400);
    expect((await partner.notify('SHARE_ACCEPTED', id, 'SecretOfEnded')).http).toBe(400);
  });

  it('is also accepted and declined in the legacy dialect', async () => {
    const id = await partner.sentShare('/a3.txt', 'SecretOfA3');
    const accepted = await partner.legacy(`/${id}/accept`, { token: 'SecretOfA3' });
    expect(accepted.json.ocs).toEqual({
      meta: { status: 'ok', statuscode: 200, message: null, totalitems: '', itemsperpage: '' },
      data: [],
    });
    expect(await sent(id)).toMatchObject({ acceptance: 'accepted' });
    expect((await partner.legacy(`/${id}/decline`, { token: 'SecretOfA3' }, {}, 1)).http).toBe(200);
    expect(await sent(id)).toBeUndefined();
  });

  it.each(['accept', 'decline', 'revoke', 'permissions', 'reshare'])(
    'is found only by id and secret together: %s',
    async (action) => {
      const [one, other] = [
        await partner.sentShare(`/b1-${action}.txt`, `SecretOfB1${action}`),
        await partner.sentShare(`/b2-${action}.txt`, `SecretOfB2${action}`),
      ];
      const before = [await sent(one), await sent(other)];
      const form = { permissions: '1', permission: '1', shareWith: 'x@y.example', remoteId: '5' };
      const attempts = [
        [one, `SecretOfB2${action}`],
        [one, 'wrong'],
        [one, ''],
        ['987654321', `SecretOfB1${action}`],
        ['abc', `SecretOfB1${action}`],
        [`${one}0`, `SecretOfB1${action}`],
        ['99999999999999999999999', `SecretOfB1${action}`],
      ] as const;
      for (const [id, token] of attempts) {
        const { json } = await partner.legacy(`/${id}/${action}`, { ...form, token });
        expect([400, 403, 410]).toContain(json.ocs.meta.statuscode);
      }
      expect([await sent(one), await sent(other)]).toEqual(before);
    },
  );

  it('can only be reduced by its requester, and equal permissions change nothing', async () => {
    const id = await partner.sentShare('/c1.txt', 'SecretOfC1', 23);
    const change = (...permission: string[]) =>
      partner.notify('RESHARE_CHANGE_PERMISSION', id, 'SecretOfC1', { permission });
    expect((await change('read', 'write', 'share')).http).toBe(201);
    expect(await sent(id)).toMatchObject({ permissions: 23, revision: 0 });
    expect((await change('read')).http).toBe(201);
    expect((await change('read')).http).toBe(201);
    expect(await sent(id)).toMatchObject({ permissions: 1, revision: 0 });
    const more = await change('read', 'write');
    expect([more.http, more.json]).toEqual([403, { message: 'Permissions can only be lowered' }]);
    expect((await partner.legacy(`/${id}/permissions`, { token: 'SecretOfC1', permissions: '3' })).http).toBe(
      403,
    );
    // An echo of this would be repeated for ever.
    expect(await messagesTo(id)).toEqual([]);
  });

  it('of a file keeps only permissions of files, for any words', async () => {
    const id = await partner.sentShare('/c2.txt', 'SecretOfC2', 19);
    const permission = ['read', 'write'];
    expect((await partner.notify('RESHARE_CHANGE_PERMISSION', id, 'SecretOfC2', { permission })).http).toBe(
      201,
    );
    expect(await sent(id)).toMatchObject({ permissions: 3 });
  });

  it('is refused while outgoing shares are switched off', async () => {
    const id = await partner.sentShare('/c3.txt', 'SecretOfC3');
    await partner.gateway.set('files_sharing/outgoing_server2server_share_enabled', 'no');
    expect((await partner.notify('SHARE_ACCEPTED', id, 'SecretOfC3')).http).toBe(501);
    const legacy = await partner.legacy(`/${id}/accept`, { token: 'SecretOfC3' });
    expect(legacy.json.ocs.meta).toMatchObject({
      statuscode: 503,
      message: 'Server does not support federated cloud sharing',
    });
    await partner.gateway.unset('files_sharing/outgoing_server2server_share_enabled');
    expect(await sent(id)).toMatchObject({ acceptance: 'unknown' });
  });
});

describe('a request to reshare our share', () => {
  const ask = (id: string, sharedSecret: string, more: object = {}) =>
    partner.notify('REQUEST_RESHARE', id, sharedSecret, {
      shareWith: 'dan@third.example',
      senderId: '5',
      ...more,
    });

  it('makes a share of the owner, and returns its id and secret under every name', async () => {
    const id = await partner.sentShare('/d1.txt', 'SecretOfD1');
    const { http, json } = await ask(id, 'SecretOfD1');
    const { sharedSecret, providerId } = json as Record<string, string>;
    expect([http, json]).toEqual([
      201,
      { sharedSecret, token: sharedSecret, providerId, remoteId: providerId },
    ]);
    expect(sharedSecret).toMatch(/^[A-Za-z0-9]{32}$/);
    const rows = await partner.gateway.query(
      `SELECT s.recipient, s.permissions, s.owner_uid, s.requester_share_id, p.host_key FROM share s
         JOIN peer p ON p.id = s.requester_peer_id WHERE s.id = $1`,
      [providerId],
    );
    expect(rows).toEqual([
      {
        recipient: 'dan@third.example',
        permissions: 19,
        owner_uid: 'alice',
        requester_share_id: '5',
        host_key: 'cloud.partner.example',
      },
    ]);
    expect(await messagesTo(providerId!)).toEqual([{ kind: 'share-create' }]);
    const again = await ask(id, 'SecretOfD1');
    expect([again.http, again.json]).toEqual([201, json]);
    expect(await messagesTo(providerId!)).toHaveLength(1);
  });

  it('gets a secret of the same length as on deployed servers, in owncloud10 mode', async () => {
    const deployed = await InboundPartner.start('owncloud10');
    try {
      await deployed.hold('third.example');
      const id = await deployed.sentShare('/d0.txt', 'SecretOfD0');
      const asked = { shareWith: 'dan@third.example', senderId: '5' };
      const { json } = await deployed.notify('REQUEST_RESHARE', id, 'SecretOfD0', asked);
      expect((json as Record<string, string>).sharedSecret).toMatch(/^[A-Za-z0-9]{32}$/);
    } finally {
      await deployed.stop();
    }
  });

  it('can request less, in the legacy dialect', async () => {
    const id = await partner.sentShare('/d2.txt', 'SecretOfD2');
    const form = { token: 'SecretOfD2', shareWith: 'dan@third.example', permission: '1', remoteId: '6' };
    const { data } = (await partner.legacy(`/${id}/reshare`, form)).json.ocs;
    const { remoteId, token } = data as Record<string, string>;
    expect(data).toEqual({ token, remoteId });
    expect(await sent(remoteId!)).toMatchObject({ permissions: 1 });
  });

  it('copied many times makes one share', async () => {
    const id = await partner.sentShare('/d3.txt', 'SecretOfD3');
    const answers = await Promise.all(Array.from({ length: 30 }, () => ask(id, 'SecretOfD3')));
    expect(new Set(answers.map(({ http, text }) => `${http} ${text}`)).size).toBe(1);
  });

  it('gets the same share under another id, from a server that was restored from a backup', async () => {
    const id = await partner.sentShare('/d4.txt', 'SecretOfD4');
    const { json } = await ask(id, 'SecretOfD4');
    const { providerId, sharedSecret } = json as { providerId: string; sharedSecret: string };
    await partner.gateway.query(`UPDATE share SET delivery_state = 'delivered' WHERE id = $1`, [providerId]);
    await partner.notify('SHARE_ACCEPTED', providerId, sharedSecret);
    const again = await ask(id, 'SecretOfD4', { senderId: '7' });
    expect([again.http, again.json]).toEqual([201, json]);
    expect(await messagesTo(providerId)).toHaveLength(3);
    const told = `SELECT payload ->> 'providerId' AS id FROM outbox_message WHERE kind = 'reshare-accepted' AND subject_id = $1 ORDER BY id`;
    expect(await partner.gateway.query(told, [providerId])).toEqual([{ id: '5' }, { id: '7' }]);
  });

  it('reveals nothing of another person’s share, and replaces it after its last day', async () => {
    const id = await partner.sentShare('/d11.txt', 'SecretOfD11');
    await ask(id, 'SecretOfD11');
    await partner.gateway.query('UPDATE share SET requested_of = 0 WHERE requested_of = $1', [id]);
    const other = await ask(id, 'SecretOfD11', { senderId: '7' });
    expect([other.http, other.json]).toEqual([400, { message: 'Invalid value of parameter: shareWith' }]);
    await partner.gateway.query('UPDATE share SET expires_on = current_date - 1 WHERE requested_of = 0');
    expect((await ask(id, 'SecretOfD11', { senderId: '8' })).http).toBe(201);
  });

  it('is refused for the owner, without the share permission, and if resharing is off', async () => {
    const id = await partner.sentShare('/d5.txt', 'SecretOfD5');
    expect((await ask(id, 'SecretOfD5', { shareWith: `alice@${partner.url}` })).http).toBe(403);
    const plain = await partner.sentShare('/d6.txt', 'SecretOfD6', 3);
    expect((await ask(plain, 'SecretOfD6')).http).toBe(403);
    await partner.gateway.set('core/shareapi_allow_resharing', 'no');
    expect((await ask(id, 'SecretOfD5')).http).toBe(403);
    await partner.gateway.unset('core/shareapi_allow_resharing');
    await partner.gateway.set('federatedfilesharing/denied_hosts', '["third.example"]');
    expect((await ask(id, 'SecretOfD5')).http).toBe(403);
    await partner.gateway.unset('federatedfilesharing/denied_hosts');
  });

  it('that arrives after the end of its share makes no other one', async () => {
    const id = await partner.sentShare('/d8.txt', 'SecretOfD8');
    const granted = (await ask(id, 'SecretOfD8')).json as { sharedSecret: string; providerId: string };
    await partner.notify('RESHARE_UNDO', granted.providerId, granted.sharedSecret);
    expect((await ask(id, 'SecretOfD8')).http).toBe(400);
    expect((await ask(id, 'SecretOfD8', { senderId: '6' })).http).toBe(201);
  });

  it('is granted with the permissions that our instances request, but never more than the requester has', async () => {
    const id = await partner.sentShare('/d9.txt', 'SecretOfD9', 17);
    const { json } = await ask(id, 'SecretOfD9', { permissions: 3 });
    const granted = json as { sharedSecret: string; providerId: string };
    expect(await sent(granted.providerId)).toMatchObject({ permissions: 1 });
  });

  it('makes a share that ends by the enforced expiry of federated shares', async () => {
    const id = await partner.sentShare('/d10.txt', 'SecretOfD10');
    const rules = ['default', 'enforce'].map((rule) => `core/shareapi_${rule}_expire_date_remote_share`);
    for (const rule of rules) await partner.gateway.set(rule, 'yes');
    const { json } = await ask(id, 'SecretOfD10');
    for (const rule of rules) await partner.gateway.unset(rule);
    const { providerId } = json as { providerId: string };
    const days = await partner.gateway.query(
      'SELECT expires_on - current_date AS days FROM share WHERE id = ANY($1::bigint[]) ORDER BY id',
      [[id, providerId]],
    );
    expect(days).toEqual([{ days: null }, { days: 7 }]);
  });

  it('a change of a reshare by its requester is sent to the recipient, and not answered', async () => {
    const id = await partner.sentShare('/e1.txt', 'SecretOfE1', 19);
    const { json } = await ask(id, 'SecretOfE1');
    const { sharedSecret, providerId } = json as { sharedSecret: string; providerId: string };
    for (const _ of [1, 2, 3])
      await partner.notify('RESHARE_CHANGE_PERMISSION', providerId, sharedSecret, { permission: ['read'] });
    expect(await sent(providerId)).toMatchObject({ permissions: 1, revision: 1 });
    expect(await messagesTo(providerId)).toEqual([{ kind: 'share-create' }, { kind: 'share-permissions' }]);
  });

  it('cannot be made of a share that its owner’s server made for us', async () => {
    const id = await partner.sentShare('/e2.txt', 'SecretOfE2', 1);
    await partner.gateway.query(
      `UPDATE share SET via_owner = 'granted', remote_owner = 'x@y.example', received_share_id = 1, granted_id = '7',
         granted_token_hmac = token_hmac, granted_token_enc = token_enc WHERE id = $1`,
      [id],
    );
    expect((await ask(id, 'SecretOfE2')).http).toBe(400);
    // But that server may change the share further, or end it; neither change is reported.
    const change = { permission: ['read', 'write', 'share'], permissions: 31 };
    expect((await partner.notify('RESHARE_CHANGE_PERMISSION', id, 'SecretOfE2', change)).http).toBe(201);
    expect(await sent(id)).toMatchObject({ permissions: 19 });
    await partner.gateway.set('files_sharing/outgoing_server2server_share_enabled', 'no');
    expect((await partner.notify('RESHARE_UNDO', id, 'SecretOfE2')).http).toBe(201);
    await partner.gateway.unset('files_sharing/outgoing_server2server_share_enabled');
    expect(await sent(id)).toBeUndefined();
    expect(await messagesTo(id)).toEqual([]);
  });

  it('a reshare can be withdrawn by its requester, and a share made here by no partner', async () => {
    const id = await partner.sentShare('/d7.txt', 'SecretOfD7');
    const { json } = await ask(id, 'SecretOfD7');
    const granted = json as { sharedSecret: string; providerId: string };
    for (const _ of [1, 2])
      expect((await partner.notify('RESHARE_UNDO', granted.providerId, granted.sharedSecret)).http).toBe(201);
    expect(await sent(granted.providerId)).toBeUndefined();
    expect((await partner.notify('RESHARE_UNDO', id, 'SecretOfD7')).http).toBe(400);
    expect(await sent(id)).toBeDefined();
  });
});

describe('a share from a partner', () => {
  it.each(['pending', 'accepted'])('ends when the partner ends it: %s', async (state) => {
    await partner.offer(`r-${state}`, `SecretOfR${state}`);
    const { data } = await partner.received('GET', '/pending');
    const { id } = (data as { id: number; remote_id: string }[]).find(
      (one) => one.remote_id === `r-${state}`,
    )!;
    if (state === 'accepted') await partner.received('POST', `/pending/${id}`);
    expect((await partner.notify('SHARE_UNSHARED', `r-${state}`, `SecretOfR${state}`)).http).toBe(201);
    expect(await receivedState(`r-${state}`)).toBe('gone');
    expect((await partner.received('GET', `/${id}`)).http).toBe(404);
    expect(await notices()).not.toContainEqual({ object_id: String(id) });
    expect((await partner.notify('SHARE_UNSHARED', `r-${state}`, `SecretOfR${state}`)).http).toBe(201);
  });

  it('is not affected by a wrong secret, which gets the answer for an unknown share', async () => {
    await partner.offer('r-1', 'SecretOfR1');
    await partner.offer('r-2', 'SecretOfR2');
    const attempts = [
      await partner.notify('SHARE_UNSHARED', 'r-1', 'SecretOfR2'),
      await partner.notify('SHARE_UNSHARED', 'r-9', 'SecretOfR1'),
      await partner.legacy('/r-1/unshare', { token: 'wrong' }),
      await partner.legacy('/r-1/unshare', {}),
    ];
    expect(attempts.map(({ http }) => http)).toEqual([201, 201, 200, 200]);
    expect([await receivedState('r-1'), await receivedState('r-2')]).toEqual(['pending', 'pending']);
  });

  it('a reshare cannot be withdrawn by a server that only knows its recipient', async () => {
    await partner.offer('r-3', 'SecretOfR3');
    const notification = { grantee: 'alice@gateway.example' };
    const body = {
      notificationType: 'SHARE_UNSHARED',
      resourceType: 'file',
      providerId: 'r-3',
      notification,
    };
    expect((await partner.ocm('notifications', body)).http).toBe(201);
    expect(await receivedState('r-3')).toBe('pending');
  });

  it('is also ended while incoming shares are switched off', async () => {
    await partner.offer('r-4', 'SecretOfR4');
    await partner.gateway.set('files_sharing/incoming_server2server_share_enabled', 'no');
    expect((await partner.legacy('/r-4/unshare', { token: 'SecretOfR4' })).http).toBe(200);
    await partner.gateway.unset('files_sharing/incoming_server2server_share_enabled');
    expect(await receivedState('r-4')).toBe('gone');
  });

  it('gets other permissions, higher and lower', async () => {
    await partner.offer('r-5', 'SecretOfR5');
    for (const [words, bits] of [
      [['read'], 1],
      [['read', 'write'], 15],
      [['read'], 1],
    ] as const) {
      const protocol = { webdav: { permissions: words } };
      const reply = await partner.notify('SHARE_CHANGE_PERMISSION', 'r-5', 'SecretOfR5', { protocol });
      expect(reply.http).toBe(201);
      const [row] = await partner.gateway.query(
        `SELECT permissions FROM received_share WHERE provider_id = 'r-5'`,
      );
      expect(row).toEqual({ permissions: bits });
    }
  });

  it.each([
    ['to its place', 'free.txt', [], '/free.txt'],
    ['beside what stands there by then', 'taken.txt', ['/taken.txt'], '/taken (2).txt'],
  ])('comes back %s if its expiry is extended after it passed', async (_where, name, stored, place) => {
    const secret = `SecretOf${name}`;
    await partner.offer(name, secret, { name, expiration: 4_000_000_000 });
    const { data } = await partner.received('GET', '/pending');
    const { id } = (data as { id: number; remote_id: string }[]).find((one) => one.remote_id === name)!;
    await partner.received('POST', `/pending/${id}`);
    await partner.gateway.query('UPDATE received_share SET expires_at = now() WHERE id = $1', [id]);
    await partner.gateway.store('alice', ...stored);
    const change = { permissions: 1, expiration: 4_100_000_000 };
    expect((await partner.notify('SHARE_CHANGE_PERMISSION', name, secret, change)).http).toBe(201);
    expect(await partner.gateway.query('SELECT file_target FROM received_share WHERE id = $1', [id])).toEqual(
      [{ file_target: place }],
    );
  });

  it.each(['accepted', 'quarantined'])('is probed again if its expiry is extended: %s', async (state) => {
    const [name, secret] = [`probed-${state}`, `SecretOf${state}`];
    await partner.offer(name, secret, { name, expiration: 4_000_000_000 });
    const change = `UPDATE received_share SET state = $2, expires_at = now(), look_at = NULL WHERE provider_id = $1`;
    await partner.gateway.query(change, [name, state]);
    await partner.notify('SHARE_CHANGE_PERMISSION', name, secret, {
      permissions: 1,
      expiration: 4_100_000_000,
    });
    const probed = 'SELECT provider_id FROM received_share WHERE provider_id = $1 AND look_at IS NOT NULL';
    expect(await partner.gateway.query(probed, [name])).toHaveLength(1);
  });
});
