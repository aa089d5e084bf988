import { SecretBox } from '#platform';
import { eventually, type SigningPartner } from '../../../libs/testing/src';
import { offerBody } from '../inbound-partner';
import { PUBLIC_URL, type HostileWorld } from './hostile-world';

/** A share with its ids on both servers. */
interface KnownShare {
  readonly id: string;
  readonly secret: string;
}

/** Targets of a hostile partner. */
export interface Prize {
  /** Shared by alice with people at X and Y: read-only, and the second of X with the share permission. */
  readonly given: Readonly<Record<'x' | 'y' | 'x2', KnownShare>>;
  /** Offered to alice by X and Y. */
  readonly received: Readonly<Record<'x' | 'y', KnownShare>>;
  /** Access token that X got for the secret of its share. */
  readonly accessToken: string;
  /** A public link of alice. */
  readonly invitation: string;
  /** All secrets that must be found nowhere. */
  readonly secrets: readonly string[];
}

const LINK_PASSWORD = 'Canary-of-the-link-password-9';
const HANDSHAKE_TOKEN = 'CanaryHandshake1';
const READ = 1;
const READ_AND_SHARE = 17;

/** Makes all of it by the real calls. */
export async function setStage(world: HostileWorld): Promise<Prize> {
  const { people, x, y, m } = world;
  await people.addUsers('alice');
  await people.store('alice', '/x.txt', '/x2.txt', '/y.txt');
  const given = {
    x: await give(world, '/x.txt', x, READ),
    x2: await give(world, '/x2.txt', x, READ_AND_SHARE),
    y: await give(world, '/y.txt', y, READ),
  };
  const received = { x: await offer(world, x, 'of-x'), y: await offer(world, y, 'of-y') };
  await offer(world, m, 'of-m');
  const link = (await people.share('alice', { path: '/x.txt', shareType: '3', password: LINK_PASSWORD }))
    .data;
  const invited = await people.ocs('POST', '/apps/ocm/api/v1/invitations', 'alice', {});
  const accessToken = await exchange(world, given.x);
  await trust(world);
  await settle(world);
  const ours = [...Object.values(given), ...Object.values(received)].map(({ secret }) => secret);
  const tokens = [accessToken, invited.data.token, link.token, HANDSHAKE_TOKEN, LINK_PASSWORD];
  const secrets = [...ours, ...tokens, 'sharing-of-the-specs', ...(await keyMaterial(world))];
  const invitation = invited.data.token as string;
  return { given, received, accessToken, invitation, secrets };
}

async function give(
  { people }: HostileWorld,
  path: string,
  partner: SigningPartner,
  permissions: number,
): Promise<KnownShare> {
  const form = {
    path,
    shareType: '6',
    shareWith: `carol@${partner.host}`,
    permissions: String(permissions),
  };
  const id = await people.shareId('alice', form);
  const offers = partner.requests.filter((one) => one.path === '/ocm/shares').map(({ body }) => body);
  const { protocol } = JSON.parse(offers.at(-1)!) as {
    protocol: { options: { sharedSecret: string }; webdav?: { sharedSecret: string } };
  };
  return { id: String(id), secret: protocol.webdav?.sharedSecret ?? protocol.options.sharedSecret };
}

/** Signed, so that its keys are known after that. */
async function offer(world: HostileWorld, partner: SigningPartner, id: string): Promise<KnownShare> {
  const secret = `CanarySecretOfTheOffer${id.replace('-', '')}`;
  const person = `rem@${partner.url}`;
  const body = { ...offerBody(id, secret), name: `${id}.txt`, owner: person, sender: person };
  const request = { url: `${PUBLIC_URL}/ocm/shares`, body: JSON.stringify(body) };
  const { status, text } = await world.send(await partner.sign(request, { scheme: 'es256' }));
  if (status !== 201) throw new Error(`the offer was answered ${status}: ${text}`);
  return { id, secret };
}

async function exchange(world: HostileWorld, { secret }: KnownShare): Promise<string> {
  const { x } = world;
  const form = { grant_type: 'authorization_code', client_id: x.host, code: secret };
  const request = {
    url: `${PUBLIC_URL}/ocm/token`,
    body: new URLSearchParams(form).toString(),
    type: 'application/x-www-form-urlencoded',
  };
  const { text } = await world.send(await x.sign(request, { scheme: 'cavage' }));
  // Only answers to attacks are searched.
  world.answers.length = 0;
  return (JSON.parse(text) as { access_token: string }).access_token;
}

/** X is trusted, and took our token long ago. */
async function trust({ people, x }: HostileWorld): Promise<void> {
  const sealed = people.gateway.instance.app.nest.get(SecretBox, { strict: false }).seal(HANDSHAKE_TOKEN);
  await people.query(
    `WITH partner AS (UPDATE peer SET trust = 'trusted' WHERE host_key = $1 RETURNING id)
     INSERT INTO trusted_handshake (peer_id, state, sealed_own_token, changed_at)
     SELECT id, 'asked', $2, now() - interval '1 hour' FROM partner`,
    [x.host, sealed],
  );
}

/** Private halves of our keys as stored, decrypted, and the key that encrypts them. */
async function keyMaterial({ people }: HostileWorld): Promise<string[]> {
  const box = people.gateway.instance.app.nest.get(SecretBox, { strict: false });
  const rows = await people.query<{ sealed: Buffer }>('SELECT sealed_private_key AS sealed FROM signing_key');
  const opened = rows.map(({ sealed }) => box.open(sealed));
  // Any stretch of base64 in it, such as the longest line of a PEM.
  const stretches = opened.map((text) => /[A-Za-z0-9+/_=-]{40}/.exec(text)?.[0]);
  return [...stretches.filter((stretch) => stretch !== undefined), 'ab'.repeat(32)];
}

/** No work is left in the background: no message, and no further request for keys. */
async function settle(world: HostileWorld): Promise<void> {
  const { people } = world;
  await eventually('the end of all messages', async () => {
    const sql = `SELECT count(*)::int + (SELECT count(*)::int FROM share_event) AS open FROM outbox_message
      WHERE state IN ('pending', 'queued', 'inflight')`;
    return (await people.query<{ open: number }>(sql))[0]!.open === 0;
  });
  const read = ['asked_at', 'answered_at', 'document_read_at', 'jwks_read_at'];
  await people.query(
    `UPDATE partner_keys SET ${read.map((column) => `${column} = now() + interval '1 hour'`).join(', ')}`,
  );
}
