import { ConfigError } from './config-error';
import { VARIABLES, type Config } from './table';
import type { Variable } from './variable';

/**
 * Reads and checks the whole table.
 *
 * An empty value counts as absent, because compose files and charts write empty values.
 * @throws ConfigError naming the first variable whose value is refused
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const entries = ROWS.map(([name, row]) => [name, read(name, row, environment)]);
  return Object.freeze(Object.fromEntries(entries)) as Config;
}

/** All refusals of `readConfig`: one sentence per refused variable. */
export function refusedValues(environment: NodeJS.ProcessEnv = process.env): string[] {
  return ROWS.flatMap(([name, row]) => {
    try {
      read(name, row, environment);
      return [];
    } catch (error) {
      if (error instanceof ConfigError) return [error.message];
      throw error;
    }
  });
}

const ROWS = Object.entries<Variable<unknown>>(VARIABLES);

function read(name: string, row: Variable<unknown>, environment: NodeJS.ProcessEnv): unknown {
  const raw = environment[name]?.trim() || row.fallback;
  return raw === undefined ? undefined : readValue(name, row, raw);
}

/** The value of one variable. @throws ConfigError with one sentence, which contains no secret */
export function readValue<T>(name: string, row: Pick<Variable<T>, 'parse' | 'secret'>, raw: string): T {
  const { success, data, error } = row.parse.safeParse(raw);
  if (success) return data;
  const rule = error.issues[0]?.message;
  throw new ConfigError(`${name} is '${shown(raw, row.secret)}', but must be ${rule}.`);
}

/** A refused value without passwords: of secrets only addresses are shown, and of these only the user name. */
function shown(raw: string, isSecret = false): string {
  if (isSecret && !raw.includes('://')) return '***';
  return raw
    .replace(/\/\/([^:@/]*)(:.*)?@/s, (_found, user: string, password?: string) =>
      password === undefined ? '//***@' : `//${user}:***@`,
    )
    .replace(/:[^:@/,\s]*@/g, ':***@')
    .slice(0, 80);
}
