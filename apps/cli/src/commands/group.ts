import { MOST_MEMBERS, remoteMembersOn, type RemoteMembers } from '#identity';
import { textOption, type Command } from '../command';
import type { Instance } from '../instance';

const list: Command = {
  name: 'group list',
  arguments: [],
  options: { search: { type: 'string' } },
  optionsUsage: '[--search TEXT]',
  summary: 'Lists group ids.',
  async run(input, instance) {
    const { groups } = await instance.administration();
    const gids = await groups.list(textOption(input, 'search') ?? '');
    return { kind: 'rows', rows: gids.map((gid) => ({ gid })) };
  },
};

const show: Command = {
  name: 'group show',
  arguments: ['gid'],
  options: {},
  optionsUsage: '',
  summary: 'Lists the members of a group.',
  async run(input, instance) {
    const { groups } = await instance.administration();
    const uids = await groups.members(input.arguments.gid!);
    return { kind: 'rows', rows: uids.map((uid) => ({ uid })) };
  },
};

const add: Command = {
  name: 'group add',
  arguments: ['gid'],
  options: {},
  optionsUsage: '',
  summary: 'Makes a group.',
  async run(input, instance) {
    const gid = input.arguments.gid!;
    const { groups } = await instance.administration();
    await groups.create(gid);
    return { kind: 'done', sentence: `Group ${gid} was made.`, record: { gid } };
  },
};

const remove: Command = {
  name: 'group delete',
  arguments: ['gid'],
  options: {},
  optionsUsage: '',
  summary: 'Deletes a group and every share with it.',
  async run(input, instance) {
    const gid = input.arguments.gid!;
    const { groups } = await instance.administration();
    await groups.remove(gid);
    return { kind: 'done', sentence: `Group ${gid} was deleted.`, record: { gid } };
  },
};

const join: Command = {
  name: 'group join',
  arguments: ['gid', 'uid'],
  options: {},
  optionsUsage: '',
  summary: 'Makes a user a member; members of admin are administrators.',
  async run(input, instance) {
    const { gid, uid } = input.arguments as { gid: string; uid: string };
    const { groups } = await instance.administration();
    await groups.join(gid, uid);
    return { kind: 'done', sentence: `User ${uid} is a member of ${gid} now.`, record: { gid, uid } };
  },
};

const leave: Command = {
  name: 'group leave',
  arguments: ['gid', 'uid'],
  options: {},
  optionsUsage: '',
  summary: 'Removes a user from a group.',
  async run(input, instance) {
    const { gid, uid } = input.arguments as { gid: string; uid: string };
    const { groups } = await instance.administration();
    await groups.leave(gid, uid);
    return { kind: 'done', sentence: `User ${uid} is no member of ${gid} any more.`, record: { gid, uid } };
  },
};

async function remoteMembers(instance: Instance): Promise<RemoteMembers> {
  const { groups } = await instance.administration();
  return remoteMembersOn(await instance.open(), groups, instance.config);
}

const remoteList: Command = {
  name: 'group remote-list',
  arguments: ['gid'],
  options: { after: { type: 'string' } },
  optionsUsage: '[--after ID]',
  summary: `Lists members of a group that have their accounts at partners, ${MOST_MEMBERS} at a time, in the order of their ids.`,
  async run(input, instance) {
    const members = await remoteMembers(instance);
    const after = textOption(input, 'after') ?? '';
    const listed = await members.list(input.arguments.gid!, after, MOST_MEMBERS);
    return { kind: 'rows', rows: listed.map(({ cloudId, canonical }) => ({ cloudId, id: canonical })) };
  },
};

const remoteJoin: Command = {
  name: 'group remote-join',
  arguments: ['gid', 'cloud-id'],
  options: {},
  optionsUsage: '',
  summary: 'Adds an account of a partner to a group: it gets offers of the shares with the group.',
  async run(input, instance) {
    const { gid, 'cloud-id': cloudId } = input.arguments as { gid: string; 'cloud-id': string };
    const added = await (await remoteMembers(instance)).add(gid, [cloudId]);
    return {
      kind: 'done',
      sentence: `${cloudId} is a member of ${gid} now.`,
      record: { gid, cloudId, added },
    };
  },
};

const remoteLeave: Command = {
  name: 'group remote-leave',
  arguments: ['gid', 'cloud-id'],
  options: {},
  optionsUsage: '',
  summary: 'Removes an account of a partner from a group: the shares with the group end for it.',
  async run(input, instance) {
    const { gid, 'cloud-id': cloudId } = input.arguments as { gid: string; 'cloud-id': string };
    const removed = await (await remoteMembers(instance)).remove(gid, [cloudId]);
    const record = { gid, cloudId, removed };
    return { kind: 'done', sentence: `${cloudId} is no member of ${gid} any more.`, record };
  },
};

export const GROUP_COMMANDS: readonly Command[] = [
  ...[list, show, add, remove, join, leave],
  ...[remoteList, remoteJoin, remoteLeave],
];
