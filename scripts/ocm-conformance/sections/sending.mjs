import { isObject, isText, shown } from '../http.mjs';
import { COVERED, digestOf, faultOfSignature, ocmSignatures } from '../signing.mjs';
import { expect, need, NotRun } from '../verdict.mjs';

const REQUIRED = ['shareWith', 'name', 'providerId', 'owner', 'sender', 'shareType', 'resourceType'];
/** `identifier@host[:port]`, no scheme and no path. */
const ADDRESS = /^(?!https?:\/\/).+@[^/@]+$/;

/** The share creation notification for a file that was shared there. */
async function sent(world) {
  return world.once('sent', () => world.shareHere(world.needPartner()));
}

async function sentFolder(world) {
  return world.once('sent folder', () => world.shareHere(world.needPartner(), { folder: true }));
}

const onSent = (check) => async (world) => check(await sent(world), world);

async function keysOf(world) {
  const { json } = await world.get('/.well-known/jwks.json');
  return Array.isArray(json?.keys) ? json.keys : [];
}

const onSignature = (check) =>
  onSent(async ({ message }, world) => {
    const [found] = ocmSignatures(message.headers);
    need(found, 'the notification carries no signature with tag="ocm"');
    return check(found, message, world);
  });

export async function expectSigned(message, world, name) {
  const fault = faultOfSignature(message, await keysOf(world));
  expect(fault === undefined, `${name}: ${fault}`);
}

async function asksFirst({ message }, world) {
  const { seen } = world.partner;
  const asked = seen.findIndex(({ target }) => target === '/.well-known/ocm');
  expect(asked !== -1 && asked < seen.indexOf(message), 'discovery was not asked for before');
}

async function isUnique(world) {
  const ids = [(await sent(world)).offer.providerId, (await sentFolder(world)).offer.providerId];
  expect(ids[0] !== ids[1], `two shares have the providerId ${ids[0]}`);
}

function hasMembers({ offer }) {
  for (const name of REQUIRED) expect(isText(offer[name]), `${name} is ${JSON.stringify(offer[name])}`);
  expect(isObject(offer.protocol), 'protocol is no object');
}

function hasAddresses({ offer }) {
  for (const name of ['shareWith', 'owner', 'sender'])
    expect(ADDRESS.test(offer[name] ?? ''), `${name} is ${JSON.stringify(offer[name])}`);
}

function hidesSecret({ offer }) {
  const { sharedSecret, uri } = offer.protocol?.webdav ?? {};
  expect(isText(uri) && isText(sharedSecret), 'protocol.webdav lacks uri or sharedSecret');
  expect(!uri.includes(sharedSecret), 'the secret is part of the uri');
}

async function demandsExchangeOf(world) {
  const strict = world.needPartner() && world.other;
  need(await world.offers('exchange-token'), 'the server does not announce exchange-token');
  const { offer } = await world.once('sent strictly', () => world.shareHere(strict));
  // `options` is a member for older servers, not a protocol.
  const isProtocol = ([name, value]) => name !== 'options' && isObject(value);
  const named = Object.entries(offer.protocol ?? {}).filter(isProtocol);
  need(named.length > 0, 'the notification names no protocol');
  for (const [name, { requirements }] of named)
    expect(requirements?.includes?.('must-exchange-token'), `${name} does not require must-exchange-token`);
  return offer;
}

async function keepsStrict(world) {
  const offer = await demandsExchangeOf(world).catch((error) => {
    throw new NotRun(error.message);
  });
  const answer = await world.look(offer, offer.protocol.webdav.sharedSecret);
  expect(answer.status === 401 || answer.status === 403, `the secret itself is answered ${shown(answer)}`);
}

/** Answer to the exchange of a share's secret. */
function tokenOf(world, offer) {
  return world.once(`token of ${offer.providerId}`, () => exchange(world, offer));
}

export async function exchange(world, offer, partner = world.partner) {
  const form = {
    grant_type: 'authorization_code',
    client_id: partner.host,
    code: offer.protocol?.webdav?.sharedSecret ?? '',
    redirect_uri: 'https://ignored.example.org/',
  };
  return partner.post(await world.tokenEndpoint(), new URLSearchParams(form));
}

async function exchanges(world) {
  const { offer } = await sent(world);
  const answer = await tokenOf(world, offer);
  expect(answer.status === 200, `a right exchange is answered ${shown(answer)}`);
  const { access_token: token, token_type: type, expires_in: seconds } = answer.json ?? {};
  expect(
    isText(token) && /^bearer$/i.test(type) && Number.isInteger(seconds),
    `the answer is ${answer.text}`,
  );
}

async function readsWithToken(world) {
  const { offer } = await sent(world);
  const { json } = await tokenOf(world, offer);
  need(isText(json?.access_token), 'no token was given');
  const answer = await world.look(offer, json.access_token);
  expect(answer.status === 207, `PROPFIND with the token is answered ${shown(answer)}`);
}

async function readsWithSecret(world) {
  const { offer } = await sent(world);
  const { requirements, sharedSecret } = offer.protocol?.webdav ?? {};
  need(!requirements?.includes('must-exchange-token'), 'the share requires an exchange');
  const answer = await world.look(offer, sharedSecret);
  expect(answer.status === 207, `PROPFIND with the secret is answered ${shown(answer)}`);
}

async function readsInside(world) {
  const { offer, content } = await sentFolder(world);
  const { json } = await tokenOf(world, offer).catch(() => ({}));
  const credential = json?.access_token ?? offer.protocol?.webdav?.sharedSecret;
  const answer = await world.look(offer, credential, { method: 'GET', below: '/inside.txt' });
  expect(answer.status === 200 && answer.text === content, `a file inside is answered ${shown(answer)}`);
}

async function tellsEnd(world) {
  const { offer, share } = await sent(world);
  await world.account.unshare(share);
  const message = await world.awaited(
    '/ocm/notifications',
    ({ providerId }) => providerId === offer.providerId,
  );
  need(message, 'no notification came, which a server may leave out');
  await expectSigned(message, world, 'the notification');
}

const sentence = (id, level, says, check) => ({ id: `sending.${id}`, level, says, check });

export const SENDING = {
  title: 'Share creation notification, as it is sent, and access to the resource',
  sentences: [
    sentence(
      'discovery',
      'MUST',
      'Discovery is asked for before the notification is made.',
      onSent(asksFirst),
    ),
    sentence(
      'json',
      'SHOULD',
      'The notification is application/json.',
      onSent(({ message }) => {
        const type = message.headers['content-type'];
        expect(/^application\/json\b/.test(type ?? ''), `it is ${type}`);
      }),
    ),
    sentence(
      'signed',
      'SHOULD',
      'The notification is signed, rightly.',
      onSent(({ message }, world) => expectSigned(message, world, 'the notification')),
    ),
    sentence(
      'signature.covers',
      'MUST',
      'The signature covers the four components.',
      onSignature(({ covered }) => {
        for (const name of COVERED) expect(covered.includes(name), `it does not cover ${name}`);
      }),
    ),
    sentence(
      'signature.created',
      'MUST',
      'The signature says when it was created.',
      onSignature(({ parameters }) => expect(/^\d+$/.test(parameters.created ?? ''), 'it does not')),
    ),
    sentence(
      'signature.date',
      'SHOULD',
      'The signature covers a Date that is there.',
      onSignature(({ covered }, { headers }) => {
        need(headers.date, 'the notification has no Date');
        expect(covered.includes('date'), 'it does not');
      }),
    ),
    sentence(
      'signature.once',
      'MUST',
      'One signature has tag ocm, and no more.',
      onSignature((_, { headers }) => expect(ocmSignatures(headers).length === 1, 'several have')),
    ),
    sentence(
      'signature.digest',
      'MUST',
      'The digest is of the body, by an algorithm of the registry.',
      onSignature((_, { headers, body }) => {
        const digest = headers['content-digest'] ?? '';
        const isRight = ['sha-256', 'sha-512'].some((name) => digest.includes(digestOf(body, name)));
        expect(isRight, `Content-Digest is ${digest}`);
      }),
    ),
    sentence(
      'signature.asymmetric',
      'MUST',
      'The algorithm is asymmetric.',
      onSignature(({ parameters }) => expect(!/hmac/i.test(parameters.alg ?? ''), `it is ${parameters.alg}`)),
    ),
    sentence('members', 'MUST', 'The notification has every required member.', onSent(hasMembers)),
    sentence('addresses', 'MUST', 'OCM addresses have no scheme and no path.', onSent(hasAddresses)),
    sentence(
      'recipient',
      'MUST',
      'shareWith is the address that the person gave.',
      onSent(({ offer }, { partner }) => {
        expect(offer.shareWith?.endsWith(partner.person), `shareWith is ${offer.shareWith}`);
      }),
    ),
    sentence('provider-id', 'MUST', 'Two shares have two providerIds.', isUnique),
    sentence(
      'share-type',
      'SHOULD',
      'shareType is user or group.',
      onSent(({ offer }) => expect(['user', 'group'].includes(offer.shareType), `it is ${offer.shareType}`)),
    ),
    sentence('folder', 'SHOULD', 'A folder is offered as a folder.', async (world) => {
      const { offer } = await sentFolder(world);
      expect(offer.resourceType === 'folder', `resourceType is ${offer.resourceType}`);
    }),
    sentence(
      'secret',
      'MUST',
      'The share has a uri and a secret, and the secret is in no URI.',
      onSent(hidesSecret),
    ),
    sentence(
      'strict',
      'MUST',
      'A server that demands must-exchange-token gets shares that require it.',
      demandsExchangeOf,
    ),
    sentence('strict.kept', 'MUST', 'The secret of such a share does not open it.', keepsStrict),
    sentence(
      'access.secret',
      'MUST',
      'PROPFIND with the secret as bearer opens a share without requirements.',
      readsWithSecret,
    ),
    sentence('access.token', 'MUST', 'A secret brings a token; further parameters are ignored.', exchanges),
    sentence('access.bearer', 'MUST', 'PROPFIND with the token opens the share.', readsWithToken),
    sentence(
      'access.below',
      'MUST',
      'An entry of a folder is reached by its path below the URI.',
      readsInside,
    ),
    sentence('end.signed', 'SHOULD', 'The notification of the end is signed.', tellsEnd),
  ],
};
