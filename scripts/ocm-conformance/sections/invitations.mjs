import { ask, isText, shown } from '../http.mjs';
import { expect, need } from '../verdict.mjs';

const isRefusal = ({ status }) => status >= 400 && status < 500;
const REQUIRED = ['userID', 'email', 'name'];

/** The acceptance of the given invitation by the partner's user. */
async function acceptance(world, faults, token) {
  const partner = world.needPartner();
  const body = {
    recipientProvider: partner.host,
    token,
    userID: 'conformance-tester',
    email: 'tester@example.org',
    name: 'Conformance Tester',
  };
  return partner.post(await world.endpoint('/invite-accepted'), body, faults);
}

function tokenOf(world) {
  world.needPartner();
  need(world.invitation, 'needs --invitation: an invitation of an account there');
  const text = Buffer.from(world.invitation, 'base64url').toString('utf8');
  const at = text.lastIndexOf('@');
  return at === -1 ? world.invitation : text.slice(0, at);
}

/** Accepts the invitation once; several checks use the result. */
async function accepted(world) {
  return (world.acceptedInvitation ??= await acceptance(world, {}, tokenOf(world)));
}

async function needAccepted(world) {
  const answer = await accepted(world);
  need(answer.status === 200, `the invitation could not be accepted: ${shown(answer)}`);
  return answer;
}

export const INVITATIONS = {
  title: 'Invite flow, as an inviting server',
  sentences: [
    {
      id: 'invites.text',
      level: 'STATED',
      says: 'An invitation as a text is token@host in base64url without padding.',
      check: async (world) => {
        need(world.invitation, 'needs --invitation: an invitation of an account there');
        expect(/^[\w-]+$/.test(world.invitation), 'it is not in base64url without padding');
        const text = Buffer.from(world.invitation, 'base64url').toString('utf8');
        expect(text.endsWith(`@${world.host}`), `it does not end with @${world.host}`);
      },
    },
    {
      id: 'invites.unsigned',
      level: 'MUST',
      says: 'An unsigned acceptance of a server that announces http-sig is refused.',
      check: async (world) => {
        const answer = await acceptance(world, null, tokenOf(world));
        expect(isRefusal(answer), `an unsigned acceptance is answered ${shown(answer)}`);
      },
    },
    {
      id: 'invites.signature',
      level: 'MUST',
      says: 'The signature of an acceptance is checked: a wrong one is refused.',
      check: async (world) => {
        const answer = await acceptance(world, { spoiled: true }, tokenOf(world));
        expect(isRefusal(answer), `a wrongly signed acceptance is answered ${shown(answer)}`);
      },
    },
    {
      id: 'invites.unknown',
      level: 'STATED',
      says: 'An unknown token is answered 400.',
      check: async (world) => {
        need(await world.offers('invites'), 'the server does not announce invites');
        const answer = await acceptance(world, {}, 'a-token-that-nobody-made');
        expect(answer.status === 400, `it is answered ${shown(answer)}`);
      },
    },
    {
      id: 'invites.answer',
      level: 'SHOULD',
      says: 'An acceptance is answered 200 with userID, email and name as texts.',
      check: async (world) => {
        const answer = await accepted(world);
        expect(answer.status === 200, `it is answered ${shown(answer)}`);
        for (const name of REQUIRED)
          expect(
            typeof answer.json?.[name] === 'string',
            `${name} is ${JSON.stringify(answer.json?.[name])}`,
          );
        expect(isText(answer.json.userID), 'userID is empty');
      },
    },
    {
      id: 'invites.again',
      level: 'STATED',
      says: 'An invitation that was accepted before is answered 409.',
      check: async (world) => {
        await needAccepted(world);
        const answer = await acceptance(world, {}, tokenOf(world));
        expect(answer.status === 409, `it is answered ${shown(answer)}`);
      },
    },
    {
      id: 'invites.page',
      level: 'SHOULD',
      says: 'A server with a page that asks where you are from understands invitations as links.',
      check: async (world) => {
        need(await world.offers('invite-wayf'), 'the server does not announce invite-wayf');
        const { inviteAcceptDialog } = await world.discovery();
        need(isText(inviteAcceptDialog), 'it names no inviteAcceptDialog');
        const answer = await ask(new URL(inviteAcceptDialog, world.url).toString());
        expect(answer.status < 400, `the page is answered ${shown(answer)}`);
      },
    },
  ],
};
