import { AppPasswordRefused, appPasswordsOn, type AppPasswords } from '#identity';
import type { Command, CommandInput } from '../command';
import { CommandFailed, UsageError } from '../command-failed';
import type { Instance } from '../instance';

/** @throws UsageError */
function numberOf(id: string): number {
  if (!/^[1-9]\d{0,14}$/.test(id)) throw new UsageError('ID is a number.');
  return Number(id);
}

async function ofUser(
  input: CommandInput,
  instance: Instance,
): Promise<{ uid: string; appPasswords: AppPasswords }> {
  const { users } = await instance.administration();
  const { uid } = await users.get(input.arguments.uid!);
  return { uid, appPasswords: appPasswordsOn(await instance.open(), instance.secrets) };
}

const list: Command = {
  name: 'app-password list',
  arguments: ['uid'],
  options: {},
  optionsUsage: '',
  summary: 'Lists the app passwords of a user, with their scopes and their last use.',
  async run(input, instance) {
    const { uid, appPasswords } = await ofUser(input, instance);
    const rows = (await appPasswords.list(uid)).map(({ createdAt, expiresAt, usedAt, ...row }) => ({
      ...row,
      createdAt: createdAt.toISOString(),
      expiresAt: expiresAt?.toISOString() ?? null,
      usedAt: usedAt?.toISOString() ?? null,
    }));
    return { kind: 'rows', rows };
  },
};

const revoke: Command = {
  name: 'app-password revoke',
  arguments: ['uid', 'id'],
  options: {},
  optionsUsage: '',
  summary: 'Revokes an app password of a user; clients that have it are refused within a second.',
  async run(input, instance) {
    const id = numberOf(input.arguments.id!);
    const { uid, appPasswords } = await ofUser(input, instance);
    try {
      await appPasswords.revoke(uid, id);
    } catch (error) {
      throw error instanceof AppPasswordRefused
        ? new CommandFailed(`${uid} has no app password ${id}.`)
        : error;
    }
    return { kind: 'done', sentence: `App password ${id} of ${uid} was revoked.`, record: { uid, id } };
  },
};

const revokeAll: Command = {
  name: 'app-password revoke-all',
  arguments: ['uid'],
  options: {},
  optionsUsage: '',
  summary: 'Revokes all app passwords of a user.',
  async run(input, instance) {
    const { uid, appPasswords } = await ofUser(input, instance);
    const revoked = await appPasswords.revokeAll(uid);
    return {
      kind: 'done',
      sentence: `${revoked} app passwords of ${uid} were revoked.`,
      record: { uid, revoked },
    };
  },
};

export const APP_PASSWORD_COMMANDS: readonly Command[] = [list, revoke, revokeAll];
