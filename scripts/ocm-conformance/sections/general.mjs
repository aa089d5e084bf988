import { isObject, shown } from '../http.mjs';
import { expect, INSIDE, need, unseen } from '../verdict.mjs';

const UNKNOWN = [404, 405, 501];

async function isDiscoverable(world) {
  const answer = await world.discoveryAnswer();
  expect(answer.status === 200, `GET /.well-known/ocm is answered ${shown(answer)}`);
  expect(isObject(answer.json), 'the answer is no JSON object');
}

async function hearsNotifications(world) {
  const url = await world.endpoint('/notifications');
  const answer = await world.stranger('POST', url, '{}');
  expect(!UNKNOWN.includes(answer.status), `POST ${url} is answered ${shown(answer)}`);
}

async function takesBothRoles(world) {
  const { resourceTypes } = await world.discovery();
  const protocols = (Array.isArray(resourceTypes) ? resourceTypes : []).map((type) => type?.protocols ?? {});
  const sends = protocols.some((names) => Object.keys(names).some((name) => !name.endsWith('-receive')));
  expect(sends, 'no resource type names a protocol that the server offers files by');
  const url = await world.endpoint('/shares');
  const answer = await world.stranger('POST', url, '{}');
  expect(!UNKNOWN.includes(answer.status), `POST ${url} is answered ${shown(answer)}`);
}

async function usesTls(world) {
  need(world.url.startsWith('https:'), 'the tested address is plain http, as in a test set-up');
  const { endPoint } = await world.discovery();
  expect(String(endPoint).startsWith('https:'), `endPoint is ${endPoint}`);
}

export const TERMS = {
  title: 'Terms, functions and roles',
  sentences: [
    {
      id: 'terms.discoverable',
      level: 'MUST',
      says: 'A server can be discovered at /.well-known/ocm of its host.',
      check: isDiscoverable,
    },
    {
      id: 'terms.registry',
      level: 'SHOULD',
      says: 'Trusted servers are kept in a list, with name and key, and the list is kept up to date.',
      check: INSIDE,
    },
    {
      id: 'functions.provider',
      level: 'MUST',
      says: 'A provider is a discoverable server.',
      check: isDiscoverable,
    },
    {
      id: 'functions.notifications',
      level: 'SHOULD',
      says: 'A provider can receive notifications.',
      check: hearsNotifications,
    },
    {
      id: 'roles.both',
      level: 'MUST',
      says: 'A provider takes both roles: it sends shares and receives them.',
      check: takesBothRoles,
    },
    {
      id: 'roles.tls',
      level: 'SHOULD',
      says: 'A receiving server demands TLS of calls to its API.',
      check: usesTls,
    },
  ],
};

export const DIRECTORY = {
  title: 'Appendices: two factors, keys, directory',
  sentences: [
    {
      id: 'mfa.honoured',
      level: 'MUST',
      says: 'A server that announces enforce-mfa lets nobody without a second factor reach what demands one.',
      check: async (world) => {
        need(await world.offers('enforce-mfa'), 'the server does not announce enforce-mfa');
        INSIDE();
      },
    },
    {
      id: 'directory.document',
      level: 'MUST',
      says: 'A directory service gives a signed list in the form of appendix C.',
      check: unseen('this is about directory services, not about servers'),
    },
  ],
};
