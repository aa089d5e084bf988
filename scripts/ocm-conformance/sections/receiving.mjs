import { isText, shown } from '../http.mjs';
import { CONTENT } from '../partner.mjs';
import { expect, need } from '../verdict.mjs';
import { expectSigned } from './sending.mjs';

const ANSWERS = ['SHARE_ACCEPTED', 'SHARE_DECLINED'];

/** A share that was offered from here, with the account's decision. */
async function decided(world, decision) {
  return world.once(decision, async () => {
    world.needAccount();
    await world.needTakesOffers();
    const { offer } = await world.offer();
    await world.account[decision](offer.name);
    return offer;
  });
}

/** The server's notification about the decision. */
async function told(world, decision) {
  const { providerId } = await decided(world, decision);
  const isAbout = (message) => message.providerId === providerId;
  const message = await world.awaited('/ocm/notifications', isAbout);
  need(message, 'no notification came, which a server may leave out');
  return message;
}

const tells = (decision, type) => async (world) => {
  const { notificationType } = JSON.parse((await told(world, decision)).body);
  expect(ANSWERS.includes(notificationType), `notificationType is ${notificationType}`);
  expect(notificationType === type, `${decision} is told as ${notificationType}`);
};

/** Content of a share that the account read, and the requests for it. */
async function read(world) {
  return world.once('read', async () => {
    const { name } = await decided(world, 'accept');
    const before = world.partner.seen.length;
    const answer = await world.account.read(name);
    const requests = world.partner.seen.slice(before);
    return {
      answer,
      requests,
      files: world.partner.seen.filter(({ target }) => target.startsWith('/webdav/')),
    };
  });
}

async function readsContent(world) {
  const { answer } = await read(world);
  expect(answer.status === 200 && answer.text === CONTENT, `the file is answered ${shown(answer)}`);
}

async function asksDiscovery(world) {
  await read(world);
  const asked = world.partner.seen.some(({ target }) => target === '/.well-known/ocm');
  expect(asked, 'the discovery of the sender was not asked for');
}

async function exchangesFirst(world) {
  need(await world.offers('exchange-token'), 'the server does not announce exchange-token');
  await read(world);
  const { seen, host } = world.partner;
  const exchange = seen.find(({ method, target }) => method === 'POST' && target === '/ocm/token');
  expect(exchange, 'the secret was not exchanged');
  expect(
    /^application\/x-www-form-urlencoded\b/.test(exchange.headers['content-type'] ?? ''),
    'it is no form',
  );
  const form = new URLSearchParams(exchange.body);
  expect(form.get('grant_type') === 'authorization_code', `grant_type is ${form.get('grant_type')}`);
  expect(form.get('client_id') === world.host, `client_id is ${form.get('client_id')}`);
  expect(form.get('code') && host, 'there is no code');
  await expectSigned(exchange, world, 'the exchange');
}

async function usesTokensOnly(world) {
  need(await world.offers('exchange-token'), 'the server does not announce exchange-token');
  const { files } = await read(world);
  need(files.length > 0, 'nothing was asked for');
  for (const { method, headers } of files)
    expect(
      world.partner.usesToken(headers),
      `${method} came with ${headers.authorization?.split(' ')[0]} and no token`,
    );
}

async function probes(world) {
  const { files } = await read(world);
  const probe = files.find(({ method }) => method === 'PROPFIND');
  expect(probe, 'no PROPFIND was made');
  expect(/^bearer /i.test(probe.headers.authorization ?? ''), 'PROPFIND came without a bearer token');
}

/** The runner as an inviting server: the account accepts its invitation. */
async function acceptance(world) {
  return world.once('invitation accepted', async () => {
    world.needAccount();
    need(await world.offers('invites'), 'the server does not announce invites');
    // A token may contain another @.
    const token = `invitation@${Date.now()}`;
    const text = Buffer.from(`${token}@${world.partner.host}`).toString('base64url');
    await world.account.acceptInvitation(text);
    const message = await world.awaited('/ocm/invite-accepted', () => true);
    expect(message, 'no acceptance came to /invite-accepted');
    return { message, token, accepted: JSON.parse(message.body) };
  });
}

const sentence = (id, level, says, check) => ({ id, level, says, check });

export const RECEIVING = {
  title: 'Answers to a share, and access to the resource of another server',
  sentences: [
    sentence(
      'receiving.accepted',
      'MUST',
      'An acceptance is told as SHARE_ACCEPTED.',
      tells('accept', 'SHARE_ACCEPTED'),
    ),
    sentence(
      'receiving.declined',
      'MUST',
      'A refusal is told as SHARE_DECLINED.',
      tells('decline', 'SHARE_DECLINED'),
    ),
    sentence('receiving.signed', 'SHOULD', 'These notifications are signed.', async (world) =>
      expectSigned(await told(world, 'accept'), world, 'the notification'),
    ),
    sentence(
      'receiving.discovery',
      'MUST',
      'The discovery of the sender is asked for before its files.',
      asksDiscovery,
    ),
    sentence(
      'receiving.propfind',
      'MUST',
      'The resource is asked for by PROPFIND, with a bearer token.',
      probes,
    ),
    sentence(
      'receiving.exchange',
      'MUST',
      'A share that requires it is exchanged by a signed form, in its own name.',
      exchangesFirst,
    ),
    sentence(
      'receiving.token',
      'MUST',
      'The files of such a share are asked for with the token only.',
      usesTokensOnly,
    ),
    sentence('receiving.content', 'STATED', 'The account reads what is in the file.', readsContent),
  ],
};

export const ACCEPTING = {
  title: 'Invite flow, as an accepting server',
  sentences: [
    sentence(
      'accepting.string',
      'MUST',
      'An invitation as a text is understood, split at its last @.',
      async (world) => {
        const { accepted, token } = await acceptance(world);
        expect(accepted.token === token, `the token is told as ${JSON.stringify(accepted.token)}`);
      },
    ),
    sentence(
      'accepting.members',
      'MUST',
      'The acceptance names recipientProvider, token, userID, email and name.',
      async (world) => {
        const { accepted } = await acceptance(world);
        for (const name of ['recipientProvider', 'token', 'userID'])
          expect(isText(accepted[name]), `${name} is ${JSON.stringify(accepted[name])}`);
        for (const name of ['email', 'name'])
          expect(typeof accepted[name] === 'string', `${name} is ${JSON.stringify(accepted[name])}`);
        expect(
          accepted.recipientProvider === world.host,
          `recipientProvider is ${accepted.recipientProvider}`,
        );
      },
    ),
    sentence('accepting.json', 'MUST', 'The acceptance is a POST of application/json.', async (world) => {
      const { headers } = (await acceptance(world)).message;
      expect(/^application\/json\b/.test(headers['content-type'] ?? ''), `it is ${headers['content-type']}`);
    }),
    sentence('accepting.signed', 'MUST', 'The acceptance is signed.', async (world) =>
      expectSigned((await acceptance(world)).message, world, 'the acceptance'),
    ),
  ],
};
