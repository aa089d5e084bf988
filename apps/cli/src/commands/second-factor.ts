import { browserSessionsOn, secondFactorsOn } from '#identity';
import type { Command } from '../command';
import { CommandFailed } from '../command-failed';

const list: Command = {
  name: 'second-factor list',
  arguments: ['uid'],
  options: {},
  optionsUsage: '',
  summary: 'Says whether a user has a second factor, and how many recovery codes are left.',
  async run(input, instance) {
    const { users } = await instance.administration();
    const { uid } = await users.get(input.arguments.uid!);
    const factors = secondFactorsOn(await instance.open(), instance.secrets);
    const { since, recoveryCodes } = await factors.state(uid);
    const rows = since ? [{ uid, kind: 'totp', since: since.toISOString(), recoveryCodes }] : [];
    return { kind: 'rows', rows };
  },
};

const reset: Command = {
  name: 'second-factor reset',
  arguments: ['uid'],
  options: {},
  optionsUsage: '',
  summary: 'Removes the second factor of a user who lost it, and signs all their browsers out.',
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
