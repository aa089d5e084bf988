import { textOption, type Command } from '../command';

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
  summary: 'Takes a user out of a group.',
  async run(input, instance) {
    const { gid, uid } = input.arguments as { gid: string; uid: string };
    const { groups } = await instance.administration();
    await groups.leave(gid, uid);
    return { kind: 'done', sentence: `User ${uid} is no member of ${gid} any more.`, record: { gid, uid } };
  },
};

export const GROUP_COMMANDS: readonly Command[] = [list, show, add, remove, join, leave];
