import {
  ADMIN,
  deliver,
  eventually,
  startOwnCloud,
  startSigningPartner,
  type FakePartner,
  type SigningPartner,
} from '../../libs/testing/src';
import { SharingGateway, type Answer } from '../sharing/sharing-gateway';
import { offerBody } from './inbound-partner';
import { AMONG_FAKES, hostOf, SHARES } from './outgoing-world';

let people: SharingGateway;
let partner: FakePartner;
beforeAll(async () => {
  partner = await startOwnCloud();
  people = await SharingGateway.start({ env: AMONG_FAKES });
  await people.addUsers('alice', 'bob');
});
afterAll(async () => {
  await people?.stop();
  await partner.close();
});
beforeEach(() => regard('unknown'));

const regard = (trust: string, direction = 'both', host = hostOf(partner)): Promise<Answer> =>
  people.ocs('POST', '/apps/federation/api/v1/partners', ADMIN.uid, {
    host,
    trust,
    direction,
  });

let count = 0;
/** An offer to alice. @returns the HTTP status, and the provider id */
async function offer(
  shareWith = 'alice',
  address = `rem@${partner.url}`,
): Promise<{ status: number; providerId: string }> {
  const providerId = String(++count);
  const body = {
    ...offerBody(providerId, `SecretNumber${count}`),
    shareWith: `${shareWith}@gateway.example`,
    owner: address,
    sender: address,
  };
  const { status } = await fetch(`${people.gateway.url}/ocm/shares`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status, providerId };
}

async function share(shareWith = `bea@${hostOf(partner)}`): Promise<Answer> {
  const path = `/given-${++count}.txt`;
  await people.store('alice', path);
  return people.ocs('POST', SHARES, 'alice', { path, shareType: '6', shareWith });
}

const stateOf = async (providerId: string): Promise<string | undefined> =>
  (
    await people.query<{ state: string }>('SELECT state FROM received_share WHERE provider_id = $1', [
      providerId,
    ])
  )[0]?.state;

describe('the trust that an administrator sets for a partner', () => {
  it.each([
    ['allowed', 'both', 201, 200],
    ['denied', 'both', 403, 403],
    ['denied', 'incoming', 403, 200],
    ['denied', 'outgoing', 201, 403],
    ['invited', 'both', 403, 403],
    ['trusted', 'both', 201, 200],
  ])('%s for %s: an offer gets %i, a share %i', async (trust, direction, offered, given) => {
    expect((await regard(trust, direction)).code).toBe(200);
    expect((await offer()).status).toBe(offered);
    expect((await share()).code).toBe(given);
  });

  it('is shown to administrators, and changed only by them', async () => {
    await regard('trusted');
    await regard('invited', 'outgoing');
    const path = `/apps/federation/api/v1/partners?host=${encodeURIComponent(hostOf(partner))}`;
    expect((await people.ocs('GET', path, ADMIN.uid)).data).toEqual({
      host: hostOf(partner),
      trust: 'trusted',
      outgoing_trust: 'invited',
      signatures: null,
    });
    const form = { host: hostOf(partner), trust: 'denied' };
    expect((await people.ocs('POST', '/apps/federation/api/v1/partners', 'alice', form)).code).not.toBe(200);
    expect((await people.ocs('GET', path, 'alice')).code).not.toBe(200);
    expect((await offer()).status).toBe(201);
  });

  it.each([
    ['trust', { trust: 'adored' }],
    ['direction', { trust: 'denied', direction: 'sideways' }],
    ['host', { trust: 'denied', host: 'a b' }],
  ])('is refused with a wrong %s', async (_what, form) => {
    const answer = await people.ocs('POST', '/apps/federation/api/v1/partners', ADMIN.uid, {
      host: hostOf(partner),
      ...form,
    });
    expect(answer.code).toBe(400);
  });

  it('applies to waiting messages', async () => {
    await people.query('UPDATE peer SET paused = true WHERE host_key = $1', [hostOf(partner)]);
    const { data } = await share();
    await regard('denied');
    await people.query('UPDATE peer SET paused = false WHERE host_key = $1', [hostOf(partner)]);
    const died = await eventually('the offer is given up', async () => {
      const [row] = await people.query<{ state: string; error_message: string }>(
        `SELECT state, error_message FROM outbox_message WHERE kind = 'share-create' AND subject_id = $1 AND state = 'dead'`,
        [data.id],
      );
      return row;
    });
    expect(died.error_message).toBe(`sharing with ${hostOf(partner)} is not allowed`);
    expect(partner.taken.map(({ providerId }) => providerId)).not.toContain(String(data.id));
  });
});

/** Ways to write the address of a server on a port of 127.0.0.1. */
const SPELLINGS: readonly ((port: string) => string)[] = [
  (port) => `127.0.0.1:${port}`,
  (port) => `http://127.0.0.1:${port}/`,
  (port) => `127.0.0.1:${port}/x`,
  (port) => `http://0x7F.1:${port}/A/b`,
  (port) => `2130706433:${port}`,
  (port) => `[::ffff:127.0.0.1]:${port}`,
  (port) => `http://[::FFFF:7F00:1]:${port}/x`,
];

describe.each(SPELLINGS.map((spell) => [spell('PORT'), spell] as const))(
  'a denied host, written as %s',
  (_written, spell) => {
    const written = (): string => spell(new URL(partner.url).port);

    it('neither offers nor receives anything', async () => {
      await regard('denied');
      expect((await offer('alice', `eve@${written()}`)).status).toBe(403);
      expect((await share(`eve@${written()}`)).code).toBe(403);
    });

    it('is also denied under its plain name if it was denied under this one', async () => {
      await regard('denied', 'both', written());
      expect((await offer()).status).toBe(403);
      expect((await share()).code).toBe(403);
      await regard('unknown', 'both', written());
      expect((await offer()).status).toBe(201);
    });
  },
);

describe('partners without a trust setting', () => {
  afterEach(async () => {
    for (const setting of [
      'incoming_default_trust',
      'outgoing_default_trust',
      'incoming_signatures',
      'incoming_token_exchange',
      'require_token_exchange',
    ])
      await people.unset(`federatedfilesharing/${setting}`);
  });

  it('follow the default of each direction', async () => {
    await people.set('federatedfilesharing/incoming_default_trust', 'denied');
    expect([(await offer()).status, (await share()).code]).toEqual([403, 200]);
    await people.set('federatedfilesharing/outgoing_default_trust', 'invited');
    const refused = await share();
    expect([refused.code, refused.message]).toEqual([
      403,
      `Sharing with ${hostOf(partner)} needs an invitation that one of you accepted`,
    ]);
    await regard('allowed');
    expect([(await offer()).status, (await share()).code]).toEqual([201, 200]);
  });

  it.each([
    ['incoming_default_trust', 'invited', ['must-invite']],
    ['incoming_default_trust', 'denied', ['allowlist']],
    ['outgoing_default_trust', 'invited', []],
    ['incoming_signatures', 'required', ['must-use-http-sig']],
    ['incoming_token_exchange', 'yes', ['must-exchange-token']],
    ['require_token_exchange', 'yes', []],
  ])('read the demands on them in discovery: %s %s', async (setting, value, criteria) => {
    const read = async (): Promise<unknown> =>
      ((await (await fetch(`${people.gateway.url}/.well-known/ocm`)).json()) as { criteria: unknown })
        .criteria;
    expect(await read()).toEqual([]);
    await people.set(`federatedfilesharing/${setting}`, value);
    expect(await read()).toEqual(criteria);
  });

  it('are not stored if their offers are refused', async () => {
    await people.set('federatedfilesharing/incoming_default_trust', 'denied');
    const body = {
      ...offerBody('1', 'SecretOfAStranger'),
      owner: 'rem@stranger.example',
      sender: 'rem@stranger.example',
    };
    const reply = await fetch(`${people.gateway.url}/ocm/shares`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    expect(reply.status).toBe(403);
    expect(await people.query(`SELECT FROM peer WHERE host_key = 'stranger.example'`)).toEqual([]);
  });
});

describe('offers of trusted partners', () => {
  let signer: SigningPartner;
  beforeAll(async () => {
    signer = await startSigningPartner();
  });
  afterAll(() => signer.close());
  beforeEach(() => people.set('federatedfilesharing/auto_accept_trusted', 'yes'));

  const setSignerTrust = (trust: string): Promise<Answer> =>
    people.ocs('POST', '/apps/federation/api/v1/partners', ADMIN.uid, { host: hostOf(signer), trust });

  /** A signed offer to a user here. @returns its provider id */
  async function signedOffer(shareWith = 'alice'): Promise<string> {
    const providerId = String(++count);
    const address = `rem@${signer.url}`;
    const body = {
      ...offerBody(providerId, `SecretNumber${count}`),
      shareWith: `${shareWith}@gateway.example`,
      owner: address,
      sender: address,
    };
    const request = { url: `${people.gateway.url}/ocm/shares`, body: JSON.stringify(body) };
    const { status } = await deliver(people.gateway.url, await signer.sign(request, { scheme: 'es256' }));
    expect(status).toBe(201);
    return providerId;
  }

  it('are accepted for their recipients if they are signed, and the partner gets the acceptance', async () => {
    await setSignerTrust('trusted');
    const providerId = await signedOffer();
    expect(await stateOf(providerId)).toBe('accepted');
    const accepted = await people.ocs('GET', '/apps/files_sharing/api/v1/remote_shares', 'alice');
    expect(accepted.data.map((record: { remote_id: string }) => record.remote_id)).toContain(providerId);
    await eventually('the partner is told', () =>
      signer.requests.find(({ body }) => body.includes('SHARE_ACCEPTED') && body.includes(`"${providerId}"`)),
    );
    expect(
      await people.query(`SELECT FROM notification WHERE uid = 'alice' AND object_type = 'remote_share' AND object_id =
      (SELECT id::text FROM received_share WHERE provider_id = '${providerId}')`),
    ).toEqual([]);
  });

  it('wait if no signature proves their sender', async () => {
    await regard('trusted');
    expect(await stateOf((await offer()).providerId)).toBe('pending');
  });

  it('wait if the recipient wants to decide', async () => {
    await setSignerTrust('trusted');
    const preference =
      '/apps/provisioning_api/api/v1/config/users/federatedfilesharing/auto_accept_share_trusted';
    expect((await people.ocs('POST', preference, 'bob', { value: 'no' })).code).toBe(200);
    expect(await stateOf(await signedOffer('bob'))).toBe('pending');
  });

  it('wait if the partner is not trusted, or automatic acceptance is off', async () => {
    await setSignerTrust('allowed');
    expect(await stateOf(await signedOffer())).toBe('pending');
    await setSignerTrust('trusted');
    await people.set('federatedfilesharing/auto_accept_trusted', 'no');
    expect(await stateOf(await signedOffer())).toBe('pending');
  });
});
