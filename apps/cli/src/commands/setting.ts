import { SettingRefused, settingsOn } from '#settings';
import type { Command } from '../command';
import { CommandFailed } from '../command-failed';
import type { Instance } from '../instance';

async function withSettings<T>(
  instance: Instance,
  work: (settings: ReturnType<typeof settingsOn>['settings']) => Promise<T>,
): Promise<T> {
  try {
    return await work(settingsOn(await instance.open(), instance.config).settings);
  } catch (error) {
    throw error instanceof SettingRefused ? new CommandFailed(`${error.message}.`) : error;
  }
}

const list: Command = {
  name: 'setting list',
  arguments: [],
  options: {},
  optionsUsage: '',
  summary: 'Lists every setting with the value in force.',
  async run(_input, instance) {
    const settings = await withSettings(instance, (all) => all.list());
    return {
      kind: 'rows',
      rows: settings.map(({ app, key, value, isDefault }) => ({ app, key, value, default: isDefault })),
    };
  },
};

const get: Command = {
  name: 'setting get',
  arguments: ['app', 'key'],
  options: {},
  optionsUsage: '',
  summary: 'Shows the value in force.',
  async run(input, instance) {
    const { app, key } = input.arguments as { app: string; key: string };
    const value = await withSettings(instance, (settings) => settings.get(app, key));
    return { kind: 'done', sentence: value, record: { app, key, value } };
  },
};

const set: Command = {
  name: 'setting set',
  arguments: ['app', 'key', 'value'],
  options: {},
  optionsUsage: '',
  summary: 'Changes a setting; every replica follows within a second.',
  async run(input, instance) {
    const { app, key, value } = input.arguments as { app: string; key: string; value: string };
    await withSettings(instance, (settings) => settings.set(app, key, value));
    return { kind: 'done', sentence: `${app}/${key} is ${value} now.`, record: { app, key, value } };
  },
};

const unset: Command = {
  name: 'setting unset',
  arguments: ['app', 'key'],
  options: {},
  optionsUsage: '',
  summary: 'Resets a setting to its default.',
  async run(input, instance) {
    const { app, key } = input.arguments as { app: string; key: string };
    const value = await withSettings(instance, async (settings) => {
      await settings.unset(app, key);
      return settings.get(app, key);
    });
    return {
      kind: 'done',
      sentence: `${app}/${key} has its default: ${value || 'empty'}.`,
      record: { app, key, value },
    };
  },
};

export const SETTING_COMMANDS: readonly Command[] = [list, get, set, unset];
