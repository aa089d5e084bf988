import {
  eventually,
  startSigningPartner,
  type SigningPartner,
  type SignOptions,
} from '../../libs/testing/src';
import { SigningWorld } from './signing-world';

let world: SigningWorld;
let partner: SigningPartner;
let stranger: SigningPartner;
beforeAll(async () => {
  world = await SigningWorld.start();
});
afterAll(() => world?.stop());
beforeEach(async () => {
  [partner, stranger] = await Promise.all([startSigningPartner(), startSigningPartner()]);
  world.refusals();
});
afterEach(async () => {
  await Promise.all([partner.close(), stranger.close()]);
  await world.people.unset('federatedfilesharing/incoming_signatures');
});

let count = 0;
const nextId = (): string => String(++count);

describe('an unsigned offer', () => {
  const offer = () => world.offer(partner, nextId());
  const legacy = () => {
    const id = nextId();
    const form = {
      shareWith: 'alice',
      token: `SecretOfTheShare${id}`,
      name: 'plan.txt',
      remoteId: id,
      owner: 'rem',
      ownerFederatedId: `rem@${partner.url}`,
      sharedBy: 'rem',
      sharedByFederatedId: `rem@${partner.url}`,
      remote: partner.url,
    };
    return world.post(partner, '/ocs/v2.php/cloud/shares', new URLSearchParams(form).toString());
  };

  it('is refused from a partner that announces signatures, at the first contact', async () => {
    const id = nextId();
    expect((await world.offer(partner, id)).status).toBe(401);
    expect(await world.received(id)).toBeUndefined();
  });

  it('is stored as not verified while its server cannot be asked, and removed if that server turns out to sign', async () => {
    const id = nextId();
    partner.state.isDown = true;
    expect((await world.offer(partner, id)).status).toBe(201);
    expect(await world.received(id)).toEqual({ state: 'pending', verified: false });
    partner.state.isDown = false;
    await world.letPass(61);
    expect((await world.offer(partner, nextId(), { scheme: 'es256' })).status).toBe(201);
    await eventually('the offer is withdrawn', async () => (await world.received(id))?.state === 'gone');
    const told = `SELECT FROM notification n JOIN received_share r ON r.id::text = n.object_id WHERE r.provider_id = $1`;
    expect(await world.people.query(told, [id])).toEqual([]);
  });

  it('is refused from a partner that signed before, in both dialects, even if it has no key any more', async () => {
    expect((await world.offer(partner, nextId(), { scheme: 'cavage' })).status).toBe(201);
    partner.state.publishes = false;
    await world.letPass(61);
    await world.people.query('UPDATE peer SET profile_expires_at = now()');
    const refused = await offer();
    expect([refused.status, JSON.parse(refused.text)]).toEqual([
      401,
      { message: 'This server is supposed to sign its messages' },
    ]);
    expect(world.refusals()).toMatchObject([{ reason: 'missing', partner: partner.host }]);
    expect((await legacy()).status).toBe(400);
    expect(await world.received(String(count))).toBeUndefined();
  });

  it('is refused from every folder and spelling of a host that signed before', async () => {
    expect((await world.offer(partner, nextId(), { scheme: 'es256' })).status).toBe(201);
    const { port } = new URL(partner.url);
    for (const address of [`${partner.host}/cloud`, `[::ffff:127.0.0.1]:${port}`, `2130706433:${port}/x`])
      expect((await world.offer(partner, nextId(), undefined, address)).status).toBe(401);
    expect(await world.received(String(count))).toBeUndefined();
  });

  it('is refused from everybody if the setting says so', async () => {
    await world.people.set('federatedfilesharing/incoming_signatures', 'required');
    expect((await offer()).status).toBe(401);
    expect((await legacy()).status).toBe(400);
    expect((await world.offer(partner, nextId(), { scheme: 'es256' })).status).toBe(201);
  });

  it('is accepted from everybody if signatures are only checked, and wrong ones are refused', async () => {
    await world.people.set('federatedfilesharing/incoming_signatures', 'checked');
    expect((await world.offer(partner, nextId(), { scheme: 'es256' })).status).toBe(201);
    expect((await offer()).status).toBe(201);
    expect((await world.offer(stranger, nextId(), { scheme: 'es256' }, partner.host)).status).toBe(401);
  });

  it('follows the administrator’s choice for the partner, or else the setting', async () => {
    const say = (signatures: string) =>
      world.people.ocs('POST', '/apps/federation/api/v1/partners', 'admin', {
        host: partner.host,
        trust: 'unknown',
        signatures,
      });
    expect((await say('required')).data).toMatchObject({ signatures: 'required' });
    expect((await offer()).status).toBe(401);
    expect((await say('checked')).code).toBe(200);
    expect((await world.offer(partner, nextId(), { scheme: 'es256' })).status).toBe(201);
    expect((await offer()).status).toBe(201);
    expect((await say('default')).data).toMatchObject({ signatures: null });
    expect((await offer()).status).toBe(401);
    expect((await say('sometimes')).code).toBe(400);
  });
});

describe('a notice', () => {
  it('a message about a share is accepted from its partner only, even with the right secret', async () => {
    const id = nextId();
    await world.offer(partner, id, { scheme: 'es256' });
    const end = (sender: SigningPartner, options?: SignOptions) =>
      world.notify(sender, 'SHARE_UNSHARED', id, options);
    expect((await end(stranger, { scheme: 'es256' })).status).toBe(401);
    expect(world.refusals()).toMatchObject([{ reason: 'wrong-signer', partner: partner.host }]);
    expect((await end(partner)).status).toBe(401);
    expect(await world.received(id)).toMatchObject({ state: 'pending' });
    expect((await end(partner, { scheme: 'cavage' })).status).toBe(201);
    expect(await world.received(id)).toMatchObject({ state: 'gone' });
  });

  it('about an end, with the secret but from another sender, causes a request to the owner’s server; a wrong secret does not', async () => {
    const id = nextId();
    await world.offer(partner, id, { scheme: 'es256' });
    const sql = `SELECT state, failed_probes, look_at < now() + interval '1 minute' AS due FROM received_share WHERE provider_id = $1 ORDER BY id`;
    const row = async () => (await world.people.query(sql, [id]))[0];
    // Another share with this id, and with its own secret.
    await world.offer(stranger, id, { scheme: 'es256' });
    await world.people.query(
      `UPDATE received_share SET token_hmac = '\\x01'
       WHERE id = (SELECT max(id) FROM received_share WHERE provider_id = $1)`,
      [id],
    );
    // Due probes are not made, so the test can see them.
    await world.people.query('UPDATE peer SET paused = true');
    const accepted = `UPDATE received_share SET state = 'accepted', failed_probes = 0, look_at = now() + interval '1 day' WHERE provider_id = $1`;
    await world.people.query(accepted, [id]);
    const wrong = { notificationType: 'SHARE_UNSHARED', resourceType: 'file', providerId: id };
    await world.post(partner, '/ocm/notifications', {
      ...wrong,
      notification: { sharedSecret: 'SomeOtherSecret' },
    });
    expect(await row()).toEqual({ state: 'accepted', failed_probes: 0, due: false });
    for (const [sender, options] of [[partner], [stranger, { scheme: 'es256' }]] as const) {
      await world.people.query(accepted, [id]);
      expect((await world.notify(sender, 'SHARE_UNSHARED', id, options)).status).toBe(401);
      expect(await row()).toEqual({ state: 'accepted', failed_probes: 2, due: true });
      expect((await world.people.query(sql, [id]))[1]).toEqual({
        state: 'accepted',
        failed_probes: 0,
        due: false,
      });
    }
    await world.people.query('UPDATE peer SET paused = false');
  });

  it('ends no share of another partner with the same id and secret', async () => {
    const id = nextId();
    await world.offer(partner, id, { scheme: 'es256' });
    await world.offer(stranger, id, { scheme: 'es256' });
    expect((await world.notify(stranger, 'SHARE_UNSHARED', id, { scheme: 'es256' })).status).toBe(201);
    const sql = `SELECT p.host_key AS host, r.state FROM received_share r JOIN peer p ON p.id = r.peer_id
      WHERE r.provider_id = $1 ORDER BY r.id`;
    expect(await world.people.query(sql, [id])).toEqual([
      { host: partner.host, state: 'pending' },
      { host: stranger.host, state: 'gone' },
    ]);
  });

  it('a message without a secret concerns shares of its signer only', async () => {
    const id = nextId();
    await world.offer(partner, id, { scheme: 'es256' });
    await world.offer(stranger, id, { scheme: 'es256' });
    const body = { notificationType: 'SHARE_UNSHARED', providerId: id };
    const end = (sender: SigningPartner, options?: SignOptions) =>
      world.post(sender, '/ocm/notifications', body, options);
    const unsigned = await end(partner);
    expect([unsigned.status, JSON.parse(unsigned.text)]).toEqual([
      400,
      { message: 'Required parameters are missing: sharedSecret' },
    ]);
    const states = async () =>
      world.people.query(
        `SELECT p.host_key AS host, r.state FROM received_share r JOIN peer p ON p.id = r.peer_id
         WHERE r.provider_id = $1 ORDER BY r.id`,
        [id],
      );
    expect(await states()).toMatchObject([{ state: 'pending' }, { state: 'pending' }]);
    expect((await end(stranger, { scheme: 'ed25519' })).status).toBe(201);
    expect(await states()).toEqual([
      { host: partner.host, state: 'pending' },
      { host: stranger.host, state: 'gone' },
    ]);
  });

  it('about our share is accepted only from its recipient’s server', async () => {
    await world.people.store('alice', '/given.txt');
    const form = { path: '/given.txt', shareType: '6', shareWith: `bea@${partner.url}` };
    const id = String((await world.people.share('alice', form)).data.id);
    const offered = await eventually('the share is offered', () =>
      partner.requests.find(({ path }) => path === '/ocm/shares'),
    );
    const sharedSecret = /"sharedSecret":"([^"]+)"/.exec(offered.body)![1]!;
    const accept = (sender: SigningPartner, options?: SignOptions) => {
      const notification = { sharedSecret, message: 'said' };
      const body = { notificationType: 'SHARE_ACCEPTED', resourceType: 'file', providerId: id, notification };
      return world.post(sender, '/ocm/notifications', body, options);
    };
    const acceptance = async () =>
      (await world.people.query('SELECT acceptance FROM share WHERE id = $1', [id]))[0];
    expect((await accept(stranger, { scheme: 'es256' })).status).toBe(401);
    expect((await accept(partner)).status).toBe(401);
    expect(await acceptance()).toEqual({ acceptance: 'unknown' });
    expect((await accept(partner, { scheme: 'es256' })).status).toBe(201);
    expect(await acceptance()).toEqual({ acceptance: 'accepted' });
    // Without its secret, as strict servers send it.
    const decline = async (sender: SigningPartner, options?: SignOptions) => {
      const body = { notificationType: 'SHARE_DECLINED', providerId: id, resourceType: 'file' };
      return (await world.post(sender, '/ocm/notifications', body, options)).status;
    };
    expect([await decline(stranger, { scheme: 'es256' }), await decline(partner)]).toEqual([401, 400]);
    expect(await acceptance()).toEqual({ acceptance: 'accepted' });
    expect(await decline(partner, { scheme: 'ed25519' })).toBe(201);
    expect(await acceptance()).toBeUndefined();
  });

  it('a message about an unknown share causes no request for a key', async () => {
    await world.notify(partner, 'SHARE_UNSHARED', '987654', { scheme: 'es256' });
    expect(partner.requests).toEqual([]);
  });
});

describe('a request for a common secret', () => {
  const ask = (options?: SignOptions) => {
    const form = new URLSearchParams({ url: partner.url, token: 'TokenOfThePartner' }).toString();
    return world.post(partner, '/ocs/v2.php/apps/federation/api/v1/request-shared-secret', form, options);
  };
  beforeEach(async () => {
    const form = { host: partner.host, trust: 'trusted' };
    await world.people.ocs('POST', '/apps/federation/api/v1/partners', 'admin', form);
  });

  it('needs no signature from a known signer, because we call it ourselves; a wrong one is refused', async () => {
    await world.offer(partner, nextId(), { scheme: 'cavage' });
    expect((await ask()).status).toBe(200);
    const key = { ...stranger.keyOf('cavage'), keyId: partner.keyOf('cavage').keyId };
    expect((await ask({ scheme: 'cavage', key })).status).toBe(400);
  });

  it('needs a signature if every server has to sign', async () => {
    await world.people.set('federatedfilesharing/incoming_signatures', 'required');
    expect((await ask()).status).toBe(400);
    expect((await ask({ scheme: 'es256' })).status).toBe(200);
  });
});

describe('an acceptance of an invitation', () => {
  it('makes a contact only if that person’s server signed it', async () => {
    const invited = await world.people.ocs('POST', '/apps/ocm/api/v1/invitations', 'alice', {});
    const body = {
      recipientProvider: partner.url,
      token: (invited.data as { token: string }).token,
      userID: 'rem',
      email: 'rem@partner.example',
      name: 'Rem',
    };
    const accept = (sender: SigningPartner) =>
      world.post(sender, '/ocm/invite-accepted', body, { scheme: 'es256' });
    expect((await accept(stranger)).status).toBe(401);
    expect((await accept(partner)).status).toBe(200);
    expect((await accept(partner)).status).toBe(409);
  });
});
