import { StoredWriteRepository } from '#persistence';
import { countOption, textOption, type Command, type CommandInput } from '../command';
import { accountOption } from '../account-option';
import { CommandFailed, UsageError } from '../command-failed';
import type { Instance } from '../instance';

const DEFAULT_LIMIT = 1000;

const writesOf = async (instance: Instance): Promise<StoredWriteRepository> =>
  new StoredWriteRepository(await instance.open());

function idArgument(input: CommandInput): number {
  const text = input.arguments.id!;
  if (!/^\d{1,15}$/.test(text)) throw new UsageError('The id of a file that waits is a number.');
  return Number(text);
}

const list: Command = {
  name: 'stored-write list',
  arguments: [],
  options: {
    peer: { type: 'string' },
    by: { type: 'string' },
    after: { type: 'string' },
    limit: { type: 'string' },
  },
  optionsUsage: '[--peer HOST] [--by UID] [--after ID] [--limit N]',
  summary:
    'Lists files that wait to be written into folders of partners, in the order of their ids, 1000 unless --limit says otherwise.',
  async run(input, instance) {
    const writerUid = await accountOption(input, instance, 'by');
    const selection = { hostKey: textOption(input, 'peer'), writerUid };
    const after = countOption(input, 'after') ?? 0;
    const limit = countOption(input, 'limit') ?? DEFAULT_LIMIT;
    return { kind: 'rows', rows: await (await writesOf(instance)).list(selection, after, limit) };
  },
};

const retry: Command = {
  name: 'stored-write retry',
  arguments: ['id'],
  options: {},
  optionsUsage: '',
  summary: 'Tries a file that waits for its next attempt now.',
  async run(input, instance) {
    const id = idArgument(input);
    if (!(await (await writesOf(instance)).retry(id)))
      throw new CommandFailed(`There is no file ${id} that waits.`);
    return { kind: 'done', sentence: `File ${id} is tried now.`, record: { id } };
  },
};

const giveUp: Command = {
  name: 'stored-write give-up',
  arguments: ['id'],
  options: {},
  optionsUsage: '',
  summary:
    'Gives up a file that waits: it becomes a file in the root of its writer, who is notified. A running attempt is not interrupted.',
  async run(input, instance) {
    const id = idArgument(input);
    if (!(await (await writesOf(instance)).giveUp(id)))
      throw new CommandFailed(`There is no file ${id} that could be given up.`);
    return { kind: 'done', sentence: `File ${id} becomes a file of its writer.`, record: { id } };
  },
};

/** Commands on files that wait to be written into folders of partners. */
export const STORED_WRITE_COMMANDS: readonly Command[] = [list, retry, giveUp];
