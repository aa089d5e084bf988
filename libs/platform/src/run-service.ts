import type { Type } from '@nestjs/common';
import { explainFailure } from './boot-failure';
import { ConfigError } from './config/config-error';
import { warnOfMisspeltVariables } from './config/misspelt-variables';
import { readConfig } from './config/read-config';
import type { Config } from './config/table';
import { serve } from './http/serve';
import { createLogger } from './logging';
import { onStopSignals } from './stop-signals';

/** Logs why the process ends, and ends it with exit code 1. */
export function endWith(error: unknown, config?: Config): never {
  const reason = explainFailure(error, config);
  if (writesJson(config)) createLogger('fatal').fatal(reason);
  else process.stderr.write(`drawbridge: ${reason}\n`);
  process.exit(1);
}

/** An unreadable configuration is reported in the format that it asks for, nevertheless. */
const writesJson = (config: Config | undefined): boolean => (config ?? process.env).OUTPUT === 'json';

/** Checks the settings of an app that does not run its own database. @throws ConfigError */
function requireDeployment(config: Config): void {
  const missing: string[] = [];
  if (!config.DATABASE_URL)
    missing.push('DATABASE_URL is not set: name the PostgreSQL database of this instance.');
  if (!config.ENCRYPTION_KEY && !config.ENCRYPTION_KEY_FILE)
    missing.push(
      'Neither ENCRYPTION_KEY nor ENCRYPTION_KEY_FILE is set: give every process of an instance the same key.',
    );
  if (missing.length > 0) throw new ConfigError(missing);
}

/** `main` of an app with its own process: one of several apps of an instance. */
export async function runService(name: string, module: Type<unknown>): Promise<void> {
  let config: Config | undefined;
  try {
    config = readConfig();
    const logger = createLogger(config.LOG_LEVEL);
    warnOfMisspeltVariables(logger);
    requireDeployment(config);
    const starting = serve({ name, module, config, logger });
    // Signals do not end the first process of a container unless it listens to them.
    onStopSignals(
      () => void starting.then((app) => app.close()).then(() => process.exit(0), endWith),
      () => process.exit(1),
    );
    await starting;
  } catch (error) {
    endWith(error, config);
  }
}
