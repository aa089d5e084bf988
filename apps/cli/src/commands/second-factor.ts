import { browserSessionsOn, secondFactorsOn } from '#identity';
import type { Command } from '../command';
import { CommandFailed } from '../command-failed';

const list: Command = {
  name: 'second-factor list',
  arguments: ['uid'],
  options: {},
  optionsUsage: '',
  summary: 'Lists the app and the passkeys of a user, and how many recovery codes are left.',
  async run(input, instance) {
    const { users } = await instance.administration();
    const { uid } = await users.get(input.arguments.uid!);
    const factors = secondFactorsOn(await instance.open(), instance.secrets);
    const { since, recoveryCodes, passkeysSince } = await factors.state(uid);
    const app = since ? [{ kind: 'totp', since }] : [];
    const passkeys = passkeysSince.map((made) => ({ kind: 'passkey', since: made }));
    const rows = [...app, ...passkeys].map((one) => ({
      ...{ uid, kind: one.kind, since: one.since.toISOString() },
      recoveryCodes,
    }));
    return { kind: 'rows', rows };
  },
};

const reset: Command = {
  name: 'second-factor reset',
  arguments: ['uid'],
  options: {},
  optionsUsage: '',
  summary: 'Removes app and passkeys of a user who lost them, and signs all their browsers out.',
  async run(input, instance) {
    const { users } = await instance.administration();
    const { uid } = await users.get(input.arguments.uid!);
    const database = await instance.open();
    if (!(await secondFactorsOn(database, instance.secrets).reset(uid)))
      throw new CommandFailed(`${uid} has no second factor.`);
    await browserSessionsOn(database).endOthers(uid, null);
    return { kind: 'done', sentence: `The second factor of ${uid} was removed.`, record: { uid } };
  },
};

export const SECOND_FACTOR_COMMANDS: readonly Command[] = [list, reset];
