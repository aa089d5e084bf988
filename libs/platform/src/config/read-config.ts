import { VARIABLES, type Config, type Variable } from './table';

/**
 * Reads and checks the whole table.
 *
 * An empty value counts as absent, as compose files and charts write it.
 * @throws ConfigError naming the first variable whose value is refused
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const entries = Object.entries<Variable<unknown>>(VARIABLES).map(([name, row]) => {
    const raw = environment[name]?.trim() || row.fallback;
    return [name, raw === undefined ? undefined : row.parse(raw, name)];
  });
  return Object.freeze(Object.fromEntries(entries)) as Config;
}
