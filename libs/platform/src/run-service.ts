import type { Type } from '@nestjs/common';
import { ConfigError } from './config/config-error';
import { readConfig } from './config/read-config';
import type { Config } from './config/table';
import { serve } from './http/serve';
import { createLogger } from './logging';

/** Says in one sentence why the process cannot start, and ends it with exit code 1. */
export function refuseToStart(error: unknown): never {
  const code = (error as { code?: string }).code;
  const message = error instanceof Error ? error.message : String(error);
  const sentence =
    code === 'EADDRINUSE'
      ? 'The address is in use: set PORT to a free one, or stop the process that listens there.'
      : message;
  process.stderr.write(`drawbridge: ${sentence}\n`);
  process.exit(1);
}

/** Calls `stop` at the first SIGTERM, SIGINT or SIGHUP; a second one ends the process at once with exit code 1. */
export function onStopSignal(stop: () => Promise<void>): void {
  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(1);
      stopping = true;
      stop().then(
        () => process.exit(0),
        (error: unknown) => refuseToStart(error),
      );
    });
  }
}

/** What an app needs that does not run its own database. @throws ConfigError */
function requireDeployment(config: Config): void {
  if (!config.DATABASE_URL) throw new ConfigError('DATABASE_URL is not set: name the PostgreSQL database of this instance.');
  if (!config.ENCRYPTION_KEY && !config.ENCRYPTION_KEY_FILE)
    throw new ConfigError('Neither ENCRYPTION_KEY nor ENCRYPTION_KEY_FILE is set: give every process of an instance the same key.');
}

/** `main` of an app that runs as a process of its own: one app of an instance among several. */
export async function runService(name: string, module: Type<unknown>): Promise<void> {
  try {
    const config = readConfig();
    requireDeployment(config);
    const app = await serve({ name, module, config, logger: createLogger(config.LOG_LEVEL) });
    onStopSignal(() => app.close());
  } catch (error) {
    refuseToStart(error);
  }
}
