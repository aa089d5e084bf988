import { INVITATION_VALID_MS, invitationText } from '#federation/protocol';
import { ContactRepository, InvitationRepository } from '#persistence';
import { PublicAddress, randomToken } from '#platform';
import { textOption, type Command, type CommandInput } from '../command';
import { CommandFailed, UsageError } from '../command-failed';
import type { Instance } from '../instance';

const TOKEN_LENGTH = 32;
const PAGE = 1000;

/** The account that the command is about, in its own spelling. @throws ProvisioningFailed */
const uidOf = async (input: CommandInput, instance: Instance): Promise<string> =>
  (await (await instance.administration()).users.get(input.arguments.uid!)).uid;

/** @throws UsageError */
function numberOf(id: string): number {
  if (!/^\d{1,15}$/.test(id)) throw new UsageError('ID is a number.');
  return Number(id);
}

const create: Command = {
  name: 'invitation create',
  arguments: ['uid'],
  options: { description: { type: 'string' } },
  optionsUsage: '[--description TEXT]',
  summary:
    'Makes an invitation of a user to somebody elsewhere: for one acceptance, within a day. It is shown once.',
  async run(input, instance) {
    const uid = await uidOf(input, instance);
    const token = randomToken(TOKEN_LENGTH);
    const invitations = new InvitationRepository(await instance.open());
    const tokenHmac = instance.secrets.lookup(token);
    const description = textOption(input, 'description') ?? '';
    const made = await invitations.insert(uid, tokenHmac, description, INVITATION_VALID_MS);
    if (!made) throw new CommandFailed(`There is no user ${uid}.`);
    const { id, expiresAt } = made;
    const invitation = invitationText(token, new PublicAddress(instance.config).url);
    return { kind: 'done', sentence: invitation, record: { id, invitation, expiresAt } };
  },
};

const list: Command = {
  name: 'invitation list',
  arguments: ['uid'],
  options: {},
  optionsUsage: '',
  summary: 'Lists the invitations of a user that can still be accepted.',
  async run(input, instance) {
    const rows = await new InvitationRepository(await instance.open()).open(
      await uidOf(input, instance),
      0,
      PAGE,
    );
    return { kind: 'rows', rows: rows.map((row) => ({ ...row })) };
  },
};

const remove: Command = {
  name: 'invitation remove',
  arguments: ['uid', 'id'],
  options: {},
  optionsUsage: '',
  summary: 'Withdraws an invitation.',
  async run(input, instance) {
    const { id } = input.arguments as { id: string };
    const uid = await uidOf(input, instance);
    const invitations = new InvitationRepository(await instance.open());
    if (!(await invitations.remove(uid, numberOf(id))))
      throw new CommandFailed(`${uid} has no invitation ${id} that can still be accepted.`);
    return { kind: 'done', sentence: `Invitation ${id} is taken back.`, record: { id: Number(id) } };
  },
};

const listContacts: Command = {
  name: 'contact list',
  arguments: ['uid'],
  options: {},
  optionsUsage: '',
  summary: 'Lists the contacts of a user on other servers.',
  async run(input, instance) {
    const rows = await new ContactRepository(await instance.open()).list(
      await uidOf(input, instance),
      0,
      PAGE,
    );
    return { kind: 'rows', rows: rows.map((row) => ({ ...row })) };
  },
};

const removeContact: Command = {
  name: 'contact remove',
  arguments: ['uid', 'id'],
  options: {},
  optionsUsage: '',
  summary: 'Removes a contact of a user; what they share with each other stays.',
  async run(input, instance) {
    const { id } = input.arguments as { id: string };
    const uid = await uidOf(input, instance);
    if (!(await new ContactRepository(await instance.open()).remove(uid, numberOf(id))))
      throw new CommandFailed(`${uid} has no contact ${id}.`);
    return { kind: 'done', sentence: `Contact ${id} is removed.`, record: { id: Number(id) } };
  },
};

export const INVITATION_COMMANDS: readonly Command[] = [create, list, remove, listContacts, removeContact];
