import { oidcSource } from '#identity';
import { countOption, listOption, textOption, type Command } from '../command';
import { userEnd } from './user-end';
import { PASSWORD_OPTIONS, PASSWORD_USAGE, readNewPassword, type NewPassword } from '../new-password';

const shown = ({ generated, password }: NewPassword): string =>
  generated ? ` Its password is ${password}` : '';
const shownRecord = ({ generated, password }: NewPassword) => (generated ? { password } : {});

const list: Command = {
  name: 'user list',
  arguments: [],
  options: { search: { type: 'string' }, limit: { type: 'string' }, offset: { type: 'string' } },
  optionsUsage: '[--search TEXT] [--limit N] [--offset N]',
  summary: 'Lists user ids.',
  async run(input, instance) {
    const { users } = await instance.administration();
    const limit = countOption(input, 'limit') ?? null;
    const uids = await users.list(
      textOption(input, 'search') ?? '',
      limit,
      countOption(input, 'offset') ?? 0,
    );
    return { kind: 'rows', rows: uids.map((uid) => ({ uid })) };
  },
};

const show: Command = {
  name: 'user show',
  arguments: ['uid'],
  options: {},
  optionsUsage: '',
  summary: 'Shows one user.',
  async run(input, instance) {
    const { users } = await instance.administration();
    const account = await users.get(input.arguments.uid!);
    const { uid, displayName, email, enabled, groups, quotaBytes, createdAt, lastLoginAt, sources } = account;
    return {
      kind: 'record',
      record: {
        uid,
        displayName,
        email,
        enabled,
        groups,
        sources,
        quotaBytes,
        createdAt: createdAt.toISOString(),
        lastLoginAt: lastLoginAt?.toISOString() ?? null,
      },
    };
  },
};

const add: Command = {
  name: 'user add',
  arguments: ['uid'],
  options: {
    ...PASSWORD_OPTIONS,
    'display-name': { type: 'string' },
    email: { type: 'string' },
    group: { type: 'string', multiple: true },
  },
  optionsUsage: `[--display-name NAME] [--email ADDRESS] [--group GID]... ${PASSWORD_USAGE}`,
  summary: 'Makes a user; the password comes from the terminal, standard input or a file.',
  async run(input, instance) {
    const uid = input.arguments.uid!;
    const secret = await readNewPassword(input);
    const { users } = await instance.administration();
    await users.create({
      uid,
      password: secret.password,
      displayName: textOption(input, 'display-name'),
      email: textOption(input, 'email'),
      groups: listOption(input, 'group'),
    });
    return {
      kind: 'done',
      sentence: `User ${uid} was made.${shown(secret)}`,
      record: { uid, ...shownRecord(secret) },
    };
  },
};

const remove: Command = {
  name: 'user delete',
  arguments: ['uid'],
  options: {},
  optionsUsage: '',
  summary: 'Deletes a user with all files and shares.',
  async run(input, instance) {
    const uid = input.arguments.uid!;
    const { users } = await instance.administration();
    await users.remove(uid);
    return { kind: 'done', sentence: `User ${uid} was deleted.`, record: { uid } };
  },
};

const password: Command = {
  name: 'user password',
  arguments: ['uid'],
  options: PASSWORD_OPTIONS,
  optionsUsage: PASSWORD_USAGE,
  summary: 'Sets a new password.',
  async run(input, instance) {
    const uid = input.arguments.uid!;
    const secret = await readNewPassword(input);
    const { users } = await instance.administration();
    await users.setPassword(uid, secret.password);
    return {
      kind: 'done',
      sentence: `The password of ${uid} was changed.${shown(secret)}`,
      record: { uid, ...shownRecord(secret) },
    };
  },
};

function enabling(verb: 'enable' | 'disable', summary: string): Command {
  const enabled = verb === 'enable';
  return {
    name: `user ${verb}`,
    arguments: ['uid'],
    options: {},
    optionsUsage: '',
    summary,
    async run(input, instance) {
      const uid = input.arguments.uid!;
      const { users } = await instance.administration();
      await users.setEnabled(uid, enabled);
      return { kind: 'done', sentence: `User ${uid} was ${verb}d.`, record: { uid, enabled } };
    },
  };
}

const attach: Command = {
  name: 'user attach',
  arguments: ['uid', 'subject'],
  options: {},
  optionsUsage: '',
  summary: 'Attaches an account to a person of OIDC_ISSUER, by their subject there.',
  async run(input, instance) {
    const { uid, subject } = input.arguments as { uid: string; subject: string };
    const source = oidcSource(instance.config);
    await (await instance.administration()).sourceAccounts.attach(source, subject, uid);
    return {
      kind: 'done',
      sentence: `User ${uid} is ${subject} of ${source.source} now.`,
      record: { uid, source: source.source, subject },
    };
  },
};

const detach: Command = {
  name: 'user detach',
  arguments: ['uid'],
  options: {},
  optionsUsage: '',
  summary: 'Ends the sign-in of a user by OIDC_ISSUER; afterwards they need a password.',
  async run(input, instance) {
    const uid = input.arguments.uid!;
    const { users, sourceAccounts } = await instance.administration();
    const account = await users.get(uid);
    const attached = await sourceAccounts.detach(oidcSource(instance.config), account.uid);
    return {
      kind: 'done',
      sentence: attached ? `User ${uid} belongs to this instance alone now.` : `User ${uid} did before.`,
      record: { uid, detached: attached },
    };
  },
};

export const USER_COMMANDS: readonly Command[] = [
  list,
  show,
  add,
  remove,
  userEnd,
  password,
  attach,
  detach,
  enabling('enable', 'Lets a user sign in again.'),
  enabling('disable', 'Keeps a user from signing in; files and shares stay.'),
];
