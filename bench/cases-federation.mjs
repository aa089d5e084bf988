// Cases of partners' servers: incoming offers, and outgoing offers to a partner that accepts all. 100,000 stored offers
// must not slow them down.
import { randomBytes } from 'node:crypto';
import { authorization, SHARES } from './cases.mjs';
import {
  FEDERATION_ACTORS,
  forgetOffered,
  forgetShared,
  partnerHost,
  recipient,
  STORED,
} from './seed-federation.mjs';

const { lister, creator } = FEDERATION_ACTORS;

/** Counts through all measurements, so that two offers are never the same. */
let offered = 0;

function offer() {
  const number = ++offered;
  const address = `rem@${partnerHost(number)}`;
  return {
    shareWith: `${recipient(number)}@gateway.example.org`,
    name: `plan-${number}.txt`,
    providerId: `bench-${number}`,
    owner: address,
    ownerDisplayName: 'Rem',
    sender: address,
    senderDisplayName: 'Rem',
    shareType: 'user',
    resourceType: 'file',
    protocol: { name: 'webdav', options: { sharedSecret: randomBytes(12).toString('hex') } },
  };
}

const takesOffers = (stored) => ({
  case: offersTaken(stored),
  format: 'json',
  aim: 0.65,
  forget: forgetOffered,
  prepare: () => ({
    method: 'POST',
    path: '/ocm/shares',
    // The baseline authenticates every request; the gateway needs no account here.
    headers: { 'content-type': 'application/json', authorization: authorization(lister.uid) },
    next: () => ({ body: JSON.stringify(offer()) }),
  }),
});

function offersTaken(stored) {
  return `offers taken, ${stored} stored`;
}

let shared = 0;

/** Each recipient at the sink gets each of the creator's files once. */
const createsFederated = {
  case: 'create federated',
  format: 'json',
  aim: 0.5,
  forget: forgetShared,
  prepare: (_database, _seconds, sink) => ({
    method: 'POST',
    path: `${SHARES}?format=json`,
    headers: {
      authorization: authorization(creator.uid),
      'content-type': 'application/x-www-form-urlencoded',
    },
    next: () => {
      const number = shared++;
      const path = `/creator-${1 + (number % creator.files)}.txt`;
      const shareWith = `bea${Math.floor(number / creator.files)}@127.0.0.1:${sink.port}`;
      return { body: String(new URLSearchParams({ path, shareType: '6', shareWith })) };
    },
  }),
};

export const OFFERS_PAIR = {
  name: `offers taken, stored ${STORED} / 0`,
  small: offersTaken(0),
  large: offersTaken(STORED),
};

export const EMPTY_INBOX_CASES = [takesOffers(0), createsFederated];
export const FULL_INBOX_CASES = [takesOffers(STORED)];
