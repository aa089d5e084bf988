import { createFirstAdministrator } from '#identity';
import { migrate } from '#persistence';
import type { Command } from '../command';

export const MIGRATE_COMMAND: Command = {
  name: 'migrate',
  arguments: [],
  options: {},
  optionsUsage: '',
  summary: 'Brings the schema up to date; with ADMIN_PASSWORD set, makes the first administrator too.',
  anySchema: true,
  async run(_input, instance) {
    const database = await instance.open();
    const applied = await migrate(database);
    const { ADMIN_USER: uid, ADMIN_PASSWORD: password } = instance.config;
    const administratorMade = password
      ? await createFirstAdministrator(database, instance.config, { uid, password })
      : false;
    const schema = applied.length === 0 ? 'The schema is up to date.' : `Applied ${applied.join(', ')}.`;
    return {
      kind: 'done',
      sentence: administratorMade ? `${schema} Administrator ${uid} was made.` : schema,
      record: { applied, administratorMade },
    };
  },
};
