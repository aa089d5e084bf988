import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { resolve } from 'node:path';
import { storageOn, TreeFailure, type Quarantine } from '#storage';
import { assertContentsAreOurs } from '../blob-ownership';
import { countOption, type Command, type CommandInput } from '../command';
import { CommandFailed, UsageError } from '../command-failed';
import type { Instance } from '../instance';

const DEFAULT_LIMIT = 1000;

function idArgument(input: CommandInput): number {
  const text = input.arguments.id!;
  if (!/^\d{1,15}$/.test(text)) throw new UsageError('The id of an upload in quarantine is a number.');
  return Number(text);
}

const unknown = (id: number): CommandFailed => new CommandFailed(`There is no upload ${id} in quarantine.`);

async function opened(instance: Instance): Promise<Awaited<ReturnType<typeof storageOn>>> {
  const database = await instance.open();
  await assertContentsAreOurs(instance.config);
  return storageOn(database, instance.config);
}

const list: Command = {
  name: 'quarantine list',
  arguments: [],
  options: { after: { type: 'string' }, limit: { type: 'string' } },
  optionsUsage: '[--after ID] [--limit N]',
  summary: 'Lists uploads in which the scanner found something, in the order of their ids.',
  async run(input, instance) {
    const { quarantine } = await storageOn(await instance.open(), instance.config);
    const rows = await quarantine.list(
      countOption(input, 'after') ?? 0,
      countOption(input, 'limit') ?? DEFAULT_LIMIT,
    );
    return { kind: 'rows', rows: rows.map(({ blobKey: _, ...row }) => row) };
  },
};

const release: Command = {
  name: 'quarantine release',
  arguments: ['id'],
  options: {},
  optionsUsage: '',
  summary:
    'Stores an upload at its destination, without a scan. A file that is there now stays, and the upload gets another name.',
  async run(input, instance) {
    const id = idArgument(input);
    const { quarantine, writer } = await opened(instance);
    const path = await quarantine.release(id, writer).catch((error: unknown) => {
      throw error instanceof TreeFailure ? new CommandFailed(`${error.message}.`) : error;
    });
    if (path === undefined) throw unknown(id);
    return {
      kind: 'done',
      sentence: `Upload ${id} was released to ${JSON.stringify(path)}.`,
      record: { id, path },
    };
  },
};

const save: Command = {
  name: 'quarantine save',
  arguments: ['id', 'file'],
  options: {},
  optionsUsage: '',
  summary: 'Writes the content of an upload into a new file of this machine, for those who examine it.',
  async run(input, instance) {
    const id = idArgument(input);
    const file = resolve(input.arguments.file!);
    await writeTo(file, id, (await opened(instance)).quarantine);
    return { kind: 'done', sentence: `Upload ${id} was written to ${file}.`, record: { id, file } };
  },
};

async function writeTo(file: string, id: number, quarantine: Quarantine): Promise<void> {
  const content = await quarantine.open(id);
  if (!content) throw unknown(id);
  await pipeline(content, createWriteStream(file, { flags: 'wx', mode: 0o600 })).catch((error: unknown) => {
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    throw syscall === undefined
      ? error
      : new CommandFailed(`${file} cannot be written (${code ?? message}).`);
  });
}

const remove: Command = {
  name: 'quarantine delete',
  arguments: ['id'],
  options: {},
  optionsUsage: '',
  summary: 'Removes an upload from quarantine for good.',
  async run(input, instance) {
    const id = idArgument(input);
    if (!(await (await opened(instance)).quarantine.remove(id))) throw unknown(id);
    return { kind: 'done', sentence: `Upload ${id} was removed.`, record: { id } };
  },
};

export const QUARANTINE_COMMANDS: readonly Command[] = [list, release, save, remove];
