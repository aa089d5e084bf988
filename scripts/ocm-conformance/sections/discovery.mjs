import { ask, isObject, isText, shown } from '../http.mjs';
import { expect, INSIDE, need } from '../verdict.mjs';

const list = (value) => (Array.isArray(value) ? value : []);

async function typesOf(world) {
  const { resourceTypes } = await world.discovery();
  need(Array.isArray(resourceTypes) && resourceTypes.length > 0, 'the document has no resourceTypes');
  return resourceTypes;
}

function member(name, isRight, kind) {
  return async (world) => {
    const { [name]: value } = await world.discovery();
    expect(isRight(value), `${name} is ${JSON.stringify(value)}, not ${kind}`);
  };
}

const isUri = (value) => isText(value) && URL.canParse(value);

async function describesTypes(world) {
  for (const type of await typesOf(world)) {
    const isRight = isText(type?.name) && Array.isArray(type.shareTypes) && isObject(type.protocols);
    expect(isRight, `${JSON.stringify(type)} lacks name, shareTypes or protocols`);
  }
}

async function namesTypesOnce(world) {
  const names = (await typesOf(world)).map((type) => type?.name);
  expect(new Set(names).size === names.length, `resourceTypes names ${names.join(', ')}`);
}

async function sharesWithUsers(world) {
  for (const type of await typesOf(world))
    expect(list(type?.shareTypes).includes('user'), `${type?.name} lacks the share type user`);
}

async function offersWebdav(world) {
  const file = (await typesOf(world)).find((type) => type?.name === 'file');
  need(file, 'the server does not offer files');
  expect(isText(file.protocols?.webdav), 'file lacks the protocol webdav');
}

async function saysHowItReads(world) {
  const receives = (await typesOf(world)).map((type) => type?.protocols?.['webdav-receive']);
  const given = receives.filter((value) => value !== undefined);
  need(given.length > 0, 'the server does not announce webdav-receive');
  for (const value of given)
    expect(['absolute', 'relative'].includes(value?.uri), `webdav-receive is ${JSON.stringify(value)}`);
}

async function demandsWhatItCan(world) {
  const criteria = await world.words('criteria');
  need(criteria.includes('must-exchange-token'), 'the server does not demand must-exchange-token');
  expect(await world.offers('exchange-token'), 'must-exchange-token is demanded without exchange-token');
}

async function namesTokenEndpoint(world) {
  need(await world.offers('exchange-token'), 'the server does not announce exchange-token');
  const { tokenEndPoint } = await world.discovery();
  expect(isUri(tokenEndPoint), `tokenEndPoint is ${JSON.stringify(tokenEndPoint)}`);
}

async function namesDialog(world) {
  need(await world.offers('invites'), 'the server does not announce invites');
  const { inviteAcceptDialog } = await world.discovery();
  expect(isText(inviteAcceptDialog), 'it announces invites without inviteAcceptDialog');
}

async function showsDialog(world) {
  const { inviteAcceptDialog } = await world.discovery();
  need(isText(inviteAcceptDialog), 'the server names no inviteAcceptDialog');
  const page = new URL(inviteAcceptDialog, world.url);
  page.search = new URLSearchParams({ token: 'none', providerDomain: 'cloud.example.org' }).toString();
  const answer = await ask(page.toString());
  expect(answer.status < 400, `${page.pathname} is answered ${shown(answer)}`);
}

async function showsKeys(world) {
  need(await world.offers('http-sig'), 'the server does not announce http-sig');
  const answer = await ask(`${world.url}/.well-known/jwks.json`);
  expect(answer.status === 200, `/.well-known/jwks.json is answered ${shown(answer)}`);
  const keys = list(answer.json?.keys);
  expect(keys.length > 0, 'the document has no keys');
  for (const key of keys) {
    expect(isText(key?.kty) && isText(key?.kid), `a key lacks kty or kid: ${JSON.stringify(key)}`);
    expect(key.d === undefined && key.k === undefined, `the key ${key.kid} shows its private part`);
  }
}

const INVITED = 'it takes a server that demands invitations, and one that accepts them';

export const DISCOVERY = {
  title: 'OCM API discovery',
  sentences: [
    {
      id: 'discovery.gesture',
      level: 'MUST',
      says: 'The sender says the object, the protocol, and the recipient with their server.',
      check: INSIDE,
    },
    {
      id: 'discovery.enabled',
      level: 'MUST',
      says: 'enabled is a boolean.',
      check: member('enabled', (value) => typeof value === 'boolean', 'a boolean'),
    },
    {
      id: 'discovery.version',
      level: 'MUST',
      says: 'apiVersion is a text.',
      check: member('apiVersion', isText, 'a text'),
    },
    {
      id: 'discovery.endpoint',
      level: 'MUST',
      says: 'endPoint is the URI of the API.',
      check: member('endPoint', isUri, 'a URI'),
    },
    {
      id: 'discovery.types',
      level: 'MUST',
      says: 'resourceTypes lists at least one type.',
      check: member('resourceTypes', (value) => list(value).length > 0, 'a list with a type'),
    },
    {
      id: 'discovery.types.form',
      level: 'MUST',
      says: 'Each type is an object with name, shareTypes and protocols.',
      check: describesTypes,
    },
    {
      id: 'discovery.types.once',
      level: 'MUST',
      says: 'No two types have the same name.',
      check: namesTypesOnce,
    },
    {
      id: 'discovery.types.user',
      level: 'MUST',
      says: 'shareTypes has user.',
      check: sharesWithUsers,
    },
    {
      id: 'discovery.file.webdav',
      level: 'MUST',
      says: 'Files are offered by webdav at least.',
      check: offersWebdav,
    },
    {
      id: 'discovery.webdav-receive',
      level: 'MUST',
      says: 'uri in webdav-receive is absolute or relative.',
      check: saysHowItReads,
    },
    {
      id: 'discovery.protocols',
      level: 'SHOULD',
      says: 'Every further protocol is announced, for both roles.',
      check: INSIDE,
    },
    {
      id: 'discovery.demand',
      level: 'MUST',
      says: 'A server that demands must-exchange-token announces exchange-token.',
      check: demandsWhatItCan,
    },
    {
      id: 'discovery.token-endpoint',
      level: 'MUST',
      says: 'A server that announces exchange-token names its tokenEndPoint.',
      check: namesTokenEndpoint,
    },
    {
      id: 'discovery.dialog',
      level: 'SHOULD',
      says: 'A server that announces invites names the page where one is accepted.',
      check: namesDialog,
    },
    {
      id: 'discovery.dialog.shown',
      level: 'SHOULD',
      says: 'That page takes token and providerDomain.',
      check: showsDialog,
    },
    {
      id: 'discovery.keys',
      level: 'MUST',
      says: 'A server that announces http-sig shows its keys at /.well-known/jwks.json.',
      check: showsKeys,
    },
    {
      id: 'discovery.invited',
      level: 'MUST',
      says: 'Where must-invite is demanded, an invitation was accepted before a share is sent.',
      check: async (world) => {
        const criteria = await world.words('criteria');
        need(criteria.includes('must-invite'), 'the server does not demand must-invite');
        need(world.partner && world.recipient && !world.invitation, INVITED);
        const answer = await world.offer();
        expect(
          answer.status >= 400 && answer.status < 500,
          `a stranger's offer is answered ${shown(answer)}`,
        );
      },
    },
  ],
};
