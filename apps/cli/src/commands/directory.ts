import { directoryStateOn, ldapSyncOn } from '#identity';
import type { DirectorySyncState } from '#persistence';
import type { Command, Output } from '../command';
import { CommandFailed } from '../command-failed';

const ALL = 1;

const sync: Command = {
  name: 'directory sync',
  arguments: [],
  options: { 'accept-loss': { type: 'boolean' } },
  optionsUsage: '[--accept-loss]',
  summary:
    'Reads all people and groups of the directory (LDAP_URLS) now; with --accept-loss also if many of them are gone.',
  async run(input, instance): Promise<Output> {
    const reading = ldapSyncOn(await instance.open(), instance.config);
    if (!reading) throw new CommandFailed('No directory is configured: LDAP_URLS is not set.');
    const state = await reading.runFully(input.options['accept-loss'] === true ? ALL : undefined);
    if (state.failure !== null) throw new CommandFailed(`The directory could not be read: ${state.failure}.`);
    if (state.heldBack !== null)
      throw new CommandFailed(
        `Nothing was changed: ${state.heldBack}. Where that is right, do it again with --accept-loss.`,
      );
    return {
      kind: 'done',
      sentence: `${state.people} people and ${state.groups} groups were read; ${state.refused} of them got no account or group.`,
      record: recordOf(state),
    };
  },
};

const show: Command = {
  name: 'directory show',
  arguments: [],
  options: {},
  optionsUsage: '',
  summary: 'Shows when the directory was last read, and the result.',
  async run(_input, instance) {
    const state = await directoryStateOn(await instance.open(), instance.config);
    if (!state) throw new CommandFailed('No directory was read so far.');
    return { kind: 'record', record: recordOf(state) };
  },
};

const recordOf = ({ readAt, readFullyAt, failedAt, ...counts }: DirectorySyncState) => ({
  ...counts,
  readAt: readAt?.toISOString() ?? null,
  readFullyAt: readFullyAt?.toISOString() ?? null,
  failedAt: failedAt?.toISOString() ?? null,
});

export const DIRECTORY_COMMANDS: readonly Command[] = [sync, show];
