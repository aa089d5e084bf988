import { isJson, isText, shown } from '../http.mjs';
import { expect, INSIDE, need } from '../verdict.mjs';

const REQUIRED = [
  'shareWith',
  'name',
  'providerId',
  'owner',
  'sender',
  'shareType',
  'resourceType',
  'protocol',
];

async function takesOffers(world) {
  const answer = await world.baseline();
  expect(answer.status === 201, `a right offer is answered ${shown(answer)}`);
}

async function namesRecipient(world) {
  const { json } = await world.needTakesOffers();
  expect(isText(json?.recipientDisplayName), 'the answer lacks recipientDisplayName');
}

async function answersJson(world) {
  const answer = await world.needTakesOffers();
  expect(isJson(answer), `the answer is ${answer.headers['content-type']}`);
}

async function missesMembers(world) {
  await world.needTakesOffers();
  for (const name of REQUIRED) {
    const answer = await world.offer((offer) => delete offer[name]);
    expect(answer.status === 400, `an offer without ${name} is answered ${shown(answer)}`);
  }
}

const answers = (change, isRight, described) => async (world) => {
  await world.needTakesOffers();
  const answer = await world.offer(change);
  expect(isRight(answer.status), `${described} is answered ${shown(answer)}`);
};

const isDiscarded = (status) => isRefusal(status) || status === 501;
const isRefusal = (status) => status >= 400 && status < 500;

async function demandsExchange(world) {
  const criteria = await world.words('criteria');
  need(criteria.includes('must-exchange-token'), 'the server does not demand must-exchange-token');
  await world.needTakesOffers();
  const answer = await world.offer(({ protocol }) => delete protocol.webdav.requirements);
  expect(isRefusal(answer.status), `an offer without the requirement is answered ${shown(answer)}`);
}

async function demandsSignature(world) {
  const criteria = await world.words('criteria');
  need(criteria.includes('must-use-http-sig'), 'the server does not demand must-use-http-sig');
  await world.needTakesOffers();
  const answer = await world.offer(undefined, null);
  expect(isRefusal(answer.status), `an unsigned offer is answered ${shown(answer)}`);
}

export const SHARES = {
  title: 'Share creation notification, as it is received',
  sentences: [
    {
      id: 'shares.taken',
      level: 'MUST',
      says: 'A server takes share creation notifications.',
      check: takesOffers,
    },
    {
      id: 'shares.answer',
      level: 'MUST',
      says: 'The answer 201 has recipientDisplayName.',
      check: namesRecipient,
    },
    {
      id: 'shares.answer.json',
      level: 'SHOULD',
      says: 'The answer is application/json.',
      check: answersJson,
    },
    {
      id: 'shares.missing',
      level: 'STATED',
      says: 'An offer that lacks a required member is answered 400.',
      check: missesMembers,
    },
    {
      id: 'shares.type.unknown',
      level: 'STATED',
      says: 'A resource type that is not supported is answered 501.',
      check: answers(
        (offer) => (offer.resourceType = 'printer-queue'),
        (status) => status === 501,
        'it',
      ),
    },
    {
      id: 'shares.share-type.unknown',
      level: 'STATED',
      says: 'A share type that is not supported is answered 501.',
      check: answers(
        (offer) => (offer.shareType = 'constellation'),
        (status) => status === 501,
        'it',
      ),
    },
    {
      id: 'shares.no-secret',
      level: 'SHOULD',
      says: 'A share without a secret is discarded.',
      check: answers(({ protocol }) => delete protocol.webdav.sharedSecret, isDiscarded, 'it'),
    },
    {
      id: 'shares.exchange-demanded',
      level: 'STATED',
      says: 'A server that demands must-exchange-token refuses offers without that requirement.',
      check: demandsExchange,
    },
    {
      id: 'shares.signature-demanded',
      level: 'STATED',
      says: 'A server that demands must-use-http-sig refuses unsigned offers.',
      check: demandsSignature,
    },
    {
      id: 'shares.foreign-owner',
      level: 'SHOULD',
      says: 'An offer is taken from the server of its owner and sender only.',
      check: answers(
        (offer, { other }) => (offer.owner = offer.sender = other.person),
        isRefusal,
        'an offer that another server signed',
      ),
    },
    {
      id: 'shares.ssh-key',
      level: 'MUST',
      says: 'An offer by ssh is answered with a public key.',
      check: async (world) => {
        const { resourceTypes } = await world.discovery();
        const receives = resourceTypes?.some?.((type) => type?.protocols?.['ssh-receive']);
        need(receives, 'the server does not announce ssh-receive');
        INSIDE();
      },
    },
  ],
};
