import { ConfigError } from './config-error';
import { VARIABLES, type Config } from './table';
import type { Variable } from './variable';

/**
 * Reads and checks the whole table.
 *
 * An empty value counts as absent, because compose files and charts write empty values.
 * @throws ConfigError naming all variables whose values are refused, or else variables that contradict each other
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const refused = ROWS.flatMap(([name, row]) => refusalsOf(() => read(name, row, environment)));
  if (refused.length > 0) throw new ConfigError(refused);
  const entries = ROWS.map(([name, row]) => [name, read(name, row, environment)]);
  const config = Object.freeze(Object.fromEntries(entries)) as Config;
  if (config.PORT !== 0 && config.PORT === config.METRICS_PORT)
    throw new ConfigError(`METRICS_PORT and PORT are both ${config.PORT}: give them different ports.`);
  return config;
}

/** The refusals of `readConfig`, as sentences. */
export const refusedValues = (environment: NodeJS.ProcessEnv = process.env): readonly string[] =>
  refusalsOf(() => readConfig(environment));

function refusalsOf(work: () => unknown): readonly string[] {
  try {
    work();
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.sentences;
    throw error;
  }
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
