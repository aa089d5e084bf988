import { ask, isObject, isText, shown } from '../http.mjs';
import { expect, need } from '../verdict.mjs';
import { exchange, expectSigned } from './sending.mjs';

const DAY_SECONDS = 86_400;
/** Seconds of a time after the year 5000: such a number counts milliseconds. */
const NO_SECONDS = 95_617_584_000;
const isTaken = ({ status }) => status >= 200 && status < 300;
const isRefusal = ({ status }) => status >= 400 && status < 500;

/** A request of somebody for a share of the recipient; its answer. */
async function askForShare(world, shareWith) {
  need(await world.offers('request-share'), 'the server does not announce request-share');
  const recipient = world.needRecipient();
  need(world.invitation, 'needs --invitation: a server may hear only contacts');
  const asked = { owner: `${recipient}@${world.host}`, shareWith, share: 'ocm-conformance' };
  return world.partner.post(await world.endpoint('/request-share'), asked);
}

/** The answer to a right request, which is sent once: a server may refuse a repeated signature. */
const rightRequest = (world) =>
  world.once('right request for a share', () => askForShare(world, world.needPartner().person));

async function takesRequests(world) {
  const answer = await rightRequest(world);
  expect(isTaken(answer), `a right request is answered ${shown(answer)}`);
}

async function refusesOthersRequests(world) {
  need(isTaken(await rightRequest(world)), 'a right request is not taken');
  const answer = await askForShare(world, world.other.person);
  expect(isRefusal(answer), `a request that another server signed is answered ${shown(answer)}`);
}

/** The request for a share that the account sent. */
async function asked(world) {
  return world.once('asked for a share', async () => {
    await world.needAccount().askForShare(world.partner.host, 'ocm-conformance');
    const message = await world.awaited('/ocm/request-share', () => true);
    need(message, 'no request came to /request-share');
    return message;
  });
}

async function namesRequest(world) {
  const { body, headers } = await asked(world);
  const message = JSON.parse(body);
  for (const name of ['owner', 'shareWith', 'share'])
    expect(isText(message[name]), `${name} is ${JSON.stringify(message[name])}`);
  expect(message.owner === world.partner.person, `owner is ${message.owner}`);
  expect(message.shareWith.endsWith(`@${world.host}`), `shareWith is ${message.shareWith}`);
  expect(/^application\/json\b/.test(headers['content-type'] ?? ''), `it is ${headers['content-type']}`);
}

/** An offer of the account with a last day and a note. */
const limited = (world) =>
  world.once('shared with an end', () => {
    const end = new Date(Date.now() + 30 * DAY_SECONDS * 1000).toISOString().slice(0, 10);
    return world.shareHere(world.needPartner(), { expireDate: end, note: 'A note of the check.' });
  });

async function countsSeconds(world) {
  const { expiration } = (await limited(world)).offer;
  need(expiration !== undefined, 'the offer of a share with an end has no expiration');
  const isTime = Number.isInteger(expiration) && expiration < NO_SECONDS;
  expect(isTime && expiration * 1000 > Date.now(), `expiration is ${JSON.stringify(expiration)}`);
}

async function describes(world) {
  const { description } = (await limited(world)).offer;
  need(description !== undefined, 'the offer of a share with a note has no description');
  expect(typeof description === 'string', `description is ${JSON.stringify(description)}`);
}

/** Whether the account can share with groups: the other partner takes such shares. */
const grouped = (world) =>
  world.once('shared with a group', () => {
    world.needPartner();
    return world.shareHere(world.other, { group: true });
  });

async function namesGroups(world) {
  const { shareType } = (await grouped(world)).offer;
  expect(shareType === 'group', `shareType is ${JSON.stringify(shareType)}`);
}

async function keepsGroups(world) {
  await grouped(world);
  const { partner } = world;
  const since = partner.seen.length;
  await world.account.share(partner.person, { content: 'a group', group: true });
  const offers = partner.seen.slice(since).filter(({ target }) => target === '/ocm/shares');
  expect(offers.length === 0, 'an offer came to a server that announces no groups');
}

async function refusesGroups(world) {
  const { resourceTypes } = await world.discovery();
  const file = resourceTypes?.find?.((type) => type?.name === 'file');
  need(!file?.shareTypes?.includes?.('group'), 'the server announces groups');
  await world.needTakesOffers();
  const answer = await world.offer((offer) => (offer.shareType = 'group'));
  expect(answer.status === 501, `it is answered ${shown(answer)}`);
}

async function takesLimited(world) {
  await world.needTakesOffers();
  const answer = await world.offer((offer) => {
    offer.expiration = Math.floor(Date.now() / 1000) + DAY_SECONDS;
    offer.description = 'A note of the check.';
  });
  expect(answer.status === 201, `it is answered ${shown(answer)}`);
}

/** A share with the server that opens web applications, as no other check ends it. */
async function applicationOffered(world) {
  world.needPartner();
  const { offer } = await world.once('shared with an application', () => world.shareHere(world.other));
  need(offer.protocol?.webapp, 'the share offers no web application');
  return offer.protocol;
}

async function keepsApplications(world) {
  const { offer } = await world.once('sent', () => world.shareHere(world.needPartner()));
  expect(!offer.protocol?.webapp, 'one came to a server that does not announce webapp-receive');
}

async function offersApplications(world) {
  const { webapp } = await applicationOffered(world);
  expect(isObject(webapp) && URL.canParse(webapp.uri), `uri is ${JSON.stringify(webapp.uri)}`);
  for (const name of ['targets', 'permissions', 'requirements'])
    expect(Array.isArray(webapp[name]) && webapp[name].length > 0, `${name} is missing or empty`);
  expect(webapp.requirements.includes('must-exchange-token'), 'it does not require must-exchange-token');
  expect(
    webapp.targets.every((target) => target === 'blank'),
    `targets are ${webapp.targets}`,
  );
  expect(isText(webapp.sharedSecret) && !webapp.uri.includes(webapp.sharedSecret), 'the secret is wrong');
}

async function demandsTheSame(world) {
  const { webapp, webdav } = await applicationOffered(world);
  need(webdav, 'the share is offered as a web application alone');
  const texts = [webapp, webdav].map(({ requirements = [] }) => [...requirements].sort().join());
  expect(texts[0] === texts[1], `they require "${texts[0]}" and "${texts[1]}"`);
}

async function opensApplications(world) {
  const protocol = await applicationOffered(world);
  const { uri, sharedSecret } = protocol.webapp;
  expect(URL.canParse(uri), `uri is ${JSON.stringify(uri)}`);
  const { json } = await exchange(world, { protocol: { webdav: { sharedSecret } } }, world.other);
  const open = (token) => {
    const more = { expired_session_redirect_uri: `${world.other.url}/again` };
    const body = new URLSearchParams({ access_token: token, ...more }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: world.other.url };
    return ask(uri, { method: 'POST', headers, body });
  };
  const answer = await open(json?.access_token ?? '');
  expect(answer.status < 400, `an access token is answered ${shown(answer)}`);
  const refused = await open(sharedSecret);
  expect(refused.status >= 400, `the secret itself is answered ${shown(refused)}`);
}

async function takesApplications(world) {
  const { resourceTypes } = await world.discovery();
  const receive = resourceTypes?.find?.((type) => type?.protocols?.['webapp-receive'])?.protocols;
  need(receive, 'the server does not announce webapp-receive');
  await world.needTakesOffers();
  const answer = await world.offer((offer, { partner }) => {
    const webapp = { uri: `${partner.url}/app`, targets: ['blank'], permissions: ['view'] };
    const requirements = ['must-exchange-token'];
    const { sharedSecret } = offer.protocol.webdav;
    Object.assign(offer.protocol.webdav, { requirements });
    offer.protocol.webapp = { ...webapp, requirements, sharedSecret };
  });
  expect(answer.status === 201, `it is answered ${shown(answer)}`);
}

async function linksInvitations(world) {
  need(await world.offers('invite-wayf'), 'the server does not announce invite-wayf');
  const link = await world.needAccount().invitationLink();
  need(isText(link), 'the account gets no link with an invitation');
  const hasToken = URL.canParse(link) && new URL(link).searchParams.has('token');
  expect(hasToken, `the link is no address with a token: ${link}`);
  const answer = await ask(link);
  expect(answer.status === 200, `the page is answered ${shown(answer)}`);
}

const sentence = (id, level, says, check) => ({ id, level, says, check });

export const OPTIONAL = {
  title: 'Requests for shares, groups, web applications, expiry, and the page for invited people',
  sentences: [
    sentence(
      'request-share.taken',
      'STATED',
      'A request for a share is taken from a contact of the owner.',
      takesRequests,
    ),
    sentence(
      'request-share.foreign',
      'MUST',
      'A request is taken from the server of the one who asks only.',
      refusesOthersRequests,
    ),
    sentence(
      'request-share.sent',
      'MUST',
      'A request for a share names owner, shareWith and share, as application/json.',
      namesRequest,
    ),
    sentence('request-share.signed', 'MUST', 'A request for a share is signed.', async (world) =>
      expectSigned(await asked(world), world, 'the request'),
    ),
    sentence(
      'expiration.sent',
      'STATED',
      'The end of a share is told in seconds of UTC since 1970.',
      countsSeconds,
    ),
    sentence('description.sent', 'STATED', 'The description of a share is a text.', describes),
    sentence(
      'expiration.taken',
      'STATED',
      'An offer with expiration and description is taken.',
      takesLimited,
    ),
    sentence('group.sent', 'SHOULD', 'A share with a group is offered as one.', namesGroups),
    sentence(
      'group.unannounced',
      'SHOULD',
      'A share type is offered only to a server that announces it.',
      keepsGroups,
    ),
    sentence('group.refused', 'STATED', 'A share type that is not announced is answered 501.', refusesGroups),
    sentence(
      'webapp.sent',
      'MUST',
      'A web application has an absolute uri, announced targets, permissions, a secret, and must-exchange-token.',
      offersApplications,
    ),
    sentence(
      'webapp.unannounced',
      'MUST',
      'A web application is offered only to a server that announces webapp-receive.',
      keepsApplications,
    ),
    sentence(
      'webapp.agree',
      'MUST',
      'The requirements of webapp and webdav in one share agree.',
      demandsTheSame,
    ),
    sentence(
      'webapp.opens',
      'STATED',
      'A web application opens by a POST of the access token for its secret, and not with the secret.',
      opensApplications,
    ),
    sentence(
      'webapp.taken',
      'STATED',
      'A server that announces webapp-receive takes web applications.',
      takesApplications,
    ),
    sentence(
      'invites.link',
      'SHOULD',
      'An invitation as a link opens the page that asks where one is from.',
      linksInvitations,
    ),
  ],
};
