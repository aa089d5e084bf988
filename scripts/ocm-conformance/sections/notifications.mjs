import { shown } from '../http.mjs';
import { expect, need } from '../verdict.mjs';

const isRefusal = ({ status }) => status >= 400 && status < 500;
const OAUTH_ERRORS = [
  ...['invalid_request', 'invalid_client', 'invalid_grant'],
  ...['unauthorized_client', 'unsupported_grant_type'],
];

async function needsNotifications(world) {
  need(await world.offers('notifications'), 'the server does not announce notifications');
  return (await world.needTakesOffers()).offer;
}

async function takesEnd(world) {
  await needsNotifications(world);
  const { offer } = await world.offer();
  const answer = await world.notify('SHARE_UNSHARED', offer);
  expect(answer.status >= 200 && answer.status < 300, `SHARE_UNSHARED is answered ${shown(answer)}`);
}

async function refusesUnsignedEnd(world) {
  const offer = await needsNotifications(world);
  const answer = await world.notify('SHARE_UNSHARED', offer, null);
  expect(isRefusal(answer), `an unsigned SHARE_UNSHARED is answered ${shown(answer)}`);
}

async function refusesUnsignedRequest(world) {
  const { host, partner } = world;
  const url = await world.endpoint('/request-share');
  const asked = { owner: `${world.recipient ?? 'admin'}@${host}`, share: 'a-file' };
  const body = JSON.stringify({ ...asked, shareWith: partner?.person ?? 'somebody@example.org' });
  const answer = await world.stranger('POST', url, body);
  need(![404, 405, 501].includes(answer.status), 'the server does not take requests for shares');
  expect(isRefusal(answer), `an unsigned request is answered ${shown(answer)}`);
}

async function refusesWrongSecret(world) {
  const url = await world.tokenEndpoint();
  const form = { grant_type: 'authorization_code', client_id: world.needPartner().host, code: 'a-wrong-one' };
  const answer = await world.partner.post(url, new URLSearchParams(form));
  expect(answer.status === 400, `a wrong code is answered ${shown(answer)}`);
  expect(OAUTH_ERRORS.includes(answer.json?.error), `the error is ${JSON.stringify(answer.json?.error)}`);
}

async function refusesUnsignedExchange(world) {
  const url = await world.tokenEndpoint();
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: 'nobody.example',
    code: 'x',
  });
  const answer = await world.stranger('POST', url, form.toString(), 'application/x-www-form-urlencoded');
  expect(isRefusal(answer), `an unsigned exchange is answered ${shown(answer)}`);
}

async function refusesMissingMembers(world) {
  const url = await world.tokenEndpoint();
  const form = { grant_type: 'authorization_code', client_id: world.needPartner().host };
  const answer = await world.partner.post(url, new URLSearchParams(form));
  expect(answer.status === 400, `a request without a code is answered ${shown(answer)}`);
  expect(OAUTH_ERRORS.includes(answer.json?.error), `the error is ${JSON.stringify(answer.json?.error)}`);
}

export const NOTIFICATIONS = {
  title: 'Notifications and requests for shares',
  sentences: [
    {
      id: 'notifications.unsigned',
      level: 'SHOULD',
      says: 'An unsigned notification of a sending server is declined.',
      check: refusesUnsignedEnd,
    },
    {
      id: 'notifications.end',
      level: 'STATED',
      says: 'SHARE_UNSHARED is taken from the server that shared, without a notification object.',
      check: takesEnd,
    },
    {
      id: 'request-share.signature',
      level: 'MUST',
      says: 'The signature of a request for a share is checked before anything comes of it.',
      check: refusesUnsignedRequest,
    },
  ],
};

export const TOKENS = {
  title: 'Code flow, as it is served',
  sentences: [
    {
      id: 'tokens.tls',
      level: 'MUST',
      says: 'Secrets are exchanged over HTTPS.',
      check: async (world) => {
        need(world.url.startsWith('https:'), 'the tested address is plain http, as in a test set-up');
        const url = await world.tokenEndpoint();
        expect(url.startsWith('https:'), `tokenEndPoint is ${url}`);
      },
    },
    {
      id: 'tokens.signature',
      level: 'MUST',
      says: 'An exchange is signed: an unsigned one brings no token.',
      check: refusesUnsignedExchange,
    },
    {
      id: 'tokens.error',
      level: 'MUST',
      says: 'A wrong code is answered with an error code of OAuth.',
      check: refusesWrongSecret,
    },
    {
      id: 'tokens.error.400',
      level: 'MUST',
      says: 'An invalid request is answered 400 with an error code of OAuth.',
      check: refusesMissingMembers,
    },
  ],
};
