import { createFirstAdministrator, weakAdminPassword } from '#identity';
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
    const weak = weakAdminPassword(instance.config);
    return {
      kind: 'done',
      sentence: [schema, administratorMade && `Administrator ${uid} was made.`, weak?.sentence]
        .filter(Boolean)
        .join(' '),
      record: { applied, administratorMade, ...(weak && { weakPassword: weak.fault }) },
    };
  },
};
