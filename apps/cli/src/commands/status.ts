import { missingMigrations } from '#persistence';
import { PRODUCT_VERSION } from '#platform';
import type { Command } from '../command';
import { CommandFailed } from '../command-failed';

export const STATUS_COMMAND: Command = {
  name: 'status',
  arguments: [],
  options: {},
  optionsUsage: '',
  summary: 'Shows which instance this is and whether its schema fits; exit code 1 when it does not.',
  anySchema: true,
  async run(_input, instance) {
    const database = await instance.open();
    const missing = await missingMigrations(database);
    if (missing.length > 0) {
      throw new CommandFailed(`The database schema lacks ${missing.join(', ')}: run 'drawbridge migrate'.`);
    }
    const { users, groups } = await instance.administration();
    return {
      kind: 'record',
      record: {
        version: PRODUCT_VERSION,
        database: instance.isEmbedded ? 'embedded' : 'external',
        ...(instance.isEmbedded
          ? { dataDirectory: instance.config.DATA_DIR, databaseRunning: instance.wasRunning }
          : {}),
        schema: 'up to date',
        users: (await users.list()).length,
        groups: (await groups.list()).length,
      },
    };
  },
};
