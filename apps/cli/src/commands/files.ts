import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import {
  DirectoryImport,
  isFull,
  parsePath,
  storageOn,
  TreeFailure,
  userView,
  type ImportCounts,
  type ImportListener,
  type NodePath,
} from '#storage';
import { assertContentsAreOurs } from '../blob-ownership';
import { textOption, type Command, type CommandInput, type Output } from '../command';
import { CommandFailed, UsageError } from '../command-failed';

const REPORT_EVERY_MS = 2_000;

const printLine = (line: string): void => void process.stderr.write(`${line}\n`);
/** Escapes names, because they may contain control sequences of terminals. */
const shown = (text: string): string => JSON.stringify(text);

/** Reports the progress of an import on standard error. */
function progressOnTerminal(): ImportListener {
  let reportedAt = Date.now();
  return {
    progress: (counts) => {
      if (Date.now() - reportedAt < REPORT_EVERY_MS) return;
      reportedAt = Date.now();
      printLine(summaryOf(counts));
    },
    leftOut: (location, reason) => printLine(`left out ${shown(location)}: ${reason}`),
  };
}

function summaryOf(counts: Readonly<ImportCounts>): string {
  const { imported, replaced, unchanged, folders, bytes, leftOut } = counts;
  return `${imported} files imported, ${replaced} replaced, ${unchanged} unchanged, ${folders} folders made, ${bytes} bytes, ${leftOut} left out`;
}

function targetOption(input: CommandInput): NodePath {
  try {
    return parsePath(textOption(input, 'to') ?? '');
  } catch (error) {
    if (error instanceof TreeFailure) throw new UsageError(`--to is not a path: ${error.message}.`);
    throw error;
  }
}

async function directoryArgument(input: CommandInput): Promise<string> {
  const directory = resolve(input.arguments.directory!);
  const found = await stat(directory).catch(() => undefined);
  if (!found?.isDirectory()) throw new CommandFailed(`${directory} is not a directory.`);
  return directory;
}

const importDirectory: Command = {
  name: 'files:import',
  arguments: ['directory'],
  options: { user: { type: 'string' }, to: { type: 'string' } },
  optionsUsage: '--user UID [--to PATH]',
  summary:
    'Copies a directory of this machine into the files of a user; a second run continues an interrupted one.',
  async run(input, instance) {
    const wanted = textOption(input, 'user');
    if (wanted === undefined) throw new UsageError('Name the owner of the files with --user.');
    const [target, directory] = [targetOption(input), await directoryArgument(input)];
    const database = await instance.open();
    const { uid } = await (await instance.administration()).users.get(wanted);
    await assertContentsAreOurs(instance.config);
    const { tree, writer } = await storageOn(database, instance.config);
    const work = new DirectoryImport(tree, writer, userView(uid), progressOnTerminal());
    try {
      const counts = await work.run(directory, target);
      return { kind: 'done', sentence: `${summaryOf(counts)}.`, record: { ...counts } };
    } catch (error) {
      if (!(error instanceof TreeFailure)) throw error;
      if (!isFull(error)) throw new CommandFailed(`${error.message}.`);
      const limit = error.code === 'quota-exceeded' ? 'the quota' : 'files/max_nodes_per_user';
      throw new CommandFailed(`${uid} has no room for more: raise ${limit}, and run this again to go on.`);
    }
  },
};

const check: Command = {
  name: 'files:check',
  arguments: [],
  options: { repair: { type: 'boolean' } },
  optionsUsage: '[--repair]',
  summary:
    'Finds lost and unused contents, and wrong sizes and counts; --repair corrects what is safe. Exit code 1 if anything is wrong.',
  async run(input, instance): Promise<Output> {
    const repair = input.options.repair === true;
    const database = await instance.open();
    await assertContentsAreOurs(instance.config);
    const { check: storage } = await storageOn(database, instance.config);
    const counts: Record<string, number> = { found: 0, repaired: 0 };
    for await (const { kind, subject, detail, repaired } of storage.problems(repair)) {
      printLine(`${kind} ${shown(subject)} ${detail}${repaired ? ' (repaired)' : ''}`);
      counts[kind] = (counts[kind] ?? 0) + 1;
      counts.found!++;
      if (repaired) counts.repaired!++;
    }
    const left = counts.found! - counts.repaired!;
    const sentence = `${counts.found} problems were found, ${counts.repaired} were repaired.`;
    return { kind: 'done', sentence, record: counts, isBad: left > 0 };
  },
};

export const FILES_COMMANDS: readonly Command[] = [importDirectory, check];
