import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { EntryRefused, settingsOn, type CapabilityRegistry } from '#settings';
import type { Command } from '../command';
import { CommandFailed } from '../command-failed';
import type { Instance } from '../instance';

async function withRegistry<T>(
  instance: Instance,
  work: (registry: CapabilityRegistry) => Promise<T>,
): Promise<T> {
  try {
    return await work(settingsOn(await instance.open(), instance.config).capabilities);
  } catch (error) {
    throw error instanceof EntryRefused ? new CommandFailed(`${error.message}.`) : error;
  }
}

/** The JSON in a file; `-` reads standard input. */
async function readEntry(file: string): Promise<unknown> {
  try {
    return JSON.parse(file === '-' ? await text(process.stdin) : readFileSync(file, 'utf8'));
  } catch (error) {
    throw new CommandFailed(`${file} cannot be read as JSON (${(error as Error).message}).`);
  }
}

const list: Command = {
  name: 'capability list',
  arguments: [],
  options: {},
  optionsUsage: '',
  summary: "Lists other apps' entries in the capabilities.",
  async run(_input, instance) {
    const entries = await withRegistry(instance, (registry) => registry.list());
    return { kind: 'rows', rows: [...entries].map(([app, entry]) => ({ app, entry })) };
  },
};

const get: Command = {
  name: 'capability get',
  arguments: ['app'],
  options: {},
  optionsUsage: '',
  summary: "Shows an app's entry.",
  async run(input, instance) {
    const entry = await withRegistry(instance, (registry) => registry.get(input.arguments.app!));
    return { kind: 'done', sentence: JSON.stringify(entry, null, 2), record: entry };
  },
};

const set: Command = {
  name: 'capability set',
  arguments: ['app', 'file'],
  options: {},
  optionsUsage: '',
  summary: "Enters an app's capabilities from a JSON file; - reads standard input.",
  async run(input, instance) {
    const { app, file } = input.arguments as { app: string; file: string };
    const entry = await readEntry(file);
    await withRegistry(instance, (registry) => registry.set(app, entry));
    return { kind: 'done', sentence: `The capabilities of ${app} are announced now.`, record: { app } };
  },
};

const remove: Command = {
  name: 'capability delete',
  arguments: ['app'],
  options: {},
  optionsUsage: '',
  summary: "Removes an app's entry.",
  async run(input, instance) {
    const app = input.arguments.app!;
    await withRegistry(instance, (registry) => registry.remove(app));
    return { kind: 'done', sentence: `The capabilities of ${app} are no longer announced.`, record: { app } };
  },
};

export const CAPABILITY_COMMANDS: readonly Command[] = [list, get, set, remove];
