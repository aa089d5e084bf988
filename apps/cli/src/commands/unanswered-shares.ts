import { UnansweredShareRepository } from '#persistence';
import { settingsOn } from '#settings';
import { countOption, textOption, type CommandInput, type Output } from '../command';
import { UsageError } from '../command-failed';
import type { Instance } from '../instance';

const DEFAULT_LIMIT = 1000;

/** Rows of `delivery list --unanswered`. @throws UsageError */
export async function listUnanswered(input: CommandInput, instance: Instance): Promise<Output> {
  for (const name of ['state', 'error', 'after'])
    if (input.options[name] !== undefined) throw new UsageError(`--unanswered does not go with --${name}.`);
  const database = await instance.open();
  const { settings } = settingsOn(database, instance.config);
  const days = Number(await settings.get('federatedfilesharing', 'unanswered_after_days'));
  const limit = countOption(input, 'limit') ?? DEFAULT_LIMIT;
  const shares = new UnansweredShareRepository(database);
  const rows = await shares.list(days, textOption(input, 'peer') ?? null, limit);
  return { kind: 'rows', rows: rows.map((row) => ({ ...row })) };
}
