import { openEmbeddedDatabase, type EmbeddedDatabase } from '#embedded-database';
import { weakAdminPassword } from '#identity';
import { Database, migrate } from '#persistence';
import { ConfigError, serve, type Config, type Logger, type RunningApp } from '#platform';
import { prepareDataDirectory, withEncryptionKey } from './data-directory';
import { ensureFirstAdministrator, forgetChangedPassword } from './first-administrator';
import { StandaloneModule } from './standalone.module';

/** A whole instance in this process. */
export interface WholeInstance {
  readonly app: RunningApp;
  /** User id of the first administrator. */
  readonly administratorUid: string;
  readonly dataDirectory: string;
  /** Resolves with the reason when the database has failed for good; then the process cannot continue. */
  readonly failed: Promise<Error>;
  /** Finishes running requests, then shuts the database down. */
  stop(): Promise<void>;
  /** Cuts running calls, for callers that do not wait for `stop`. */
  hurry(): void;
}

export interface InstanceOptions {
  readonly config: Config;
  readonly logger: Logger;
  /** Called with progress messages for people. */
  readonly announce: (line: string) => void;
}

/**
 * Starts all parts of an instance: its own database unless one is configured, the schema, the
 * first administrator, and all apps on one port.
 * @throws if a part cannot start; the started parts are stopped again
 */
export async function startInstance(options: InstanceOptions): Promise<WholeInstance> {
  const dataDirectory = prepareDataDirectory(options.config);
  const config = withEncryptionKey({ ...options.config, DATA_DIR: dataDirectory }, dataDirectory);
  if (config.DATABASE_POOLER_URL && !config.DATABASE_URL)
    throw new ConfigError(
      'DATABASE_POOLER_URL needs DATABASE_URL: migrations and the feed of changes connect directly.',
    );
  if (config.DATABASE_REPLICA_URL && !config.DATABASE_URL)
    throw new ConfigError('DATABASE_REPLICA_URL needs DATABASE_URL: the embedded database has no standby.');
  const weak = weakAdminPassword(config);
  if (weak) options.logger.warn(weak.sentence);
  const embedded = config.DATABASE_URL ? undefined : await startDatabase(dataDirectory, options);
  try {
    return await startApps(
      { ...config, DATABASE_URL: embedded?.url ?? config.DATABASE_URL },
      embedded,
      options,
    );
  } catch (error) {
    await embedded?.stop({ hurry: true });
    throw error;
  }
}

async function startDatabase(
  dataDirectory: string,
  { announce }: InstanceOptions,
): Promise<EmbeddedDatabase> {
  announce('Starting the embedded database');
  const embedded = await openEmbeddedDatabase({ dataDirectory, role: 'gateway', announce });
  if (embedded.adopted) announce('It was running already (an earlier start did not stop it), and goes on');
  return embedded;
}

async function startApps(
  config: Config,
  embedded: EmbeddedDatabase | undefined,
  { logger, announce }: InstanceOptions,
): Promise<WholeInstance> {
  await prepareDatabase(config, announce);
  const app = await serve({ name: 'standalone', module: StandaloneModule, config, logger });
  await forgetChangedPassword(app.nest, config.ADMIN_USER, config.DATA_DIR);
  let hurried = false;
  return {
    app,
    administratorUid: config.ADMIN_USER,
    dataDirectory: config.DATA_DIR,
    failed: watch(embedded, logger),
    stop: async () => {
      await app.close();
      await embedded?.stop({ hurry: hurried });
    },
    hurry: () => {
      hurried = true;
      app.hurry();
    },
  };
}

async function prepareDatabase(config: Config, announce: (line: string) => void): Promise<void> {
  const database = await Database.connect({
    url: config.DATABASE_URL!,
    poolSize: 2,
    applicationName: 'drawbridge start',
  });
  try {
    const done = await migrate(database);
    const steps = config.OUTPUT === 'json' ? done.join(', ') : `${done.length} steps`;
    if (done.length > 0) announce(`Schema brought up to date (${steps})`);
    await ensureFirstAdministrator(database, config, config.DATA_DIR);
  } finally {
    await database.close();
  }
}

function watch(embedded: EmbeddedDatabase | undefined, logger: Logger): Promise<Error> {
  return new Promise((fail) => {
    embedded?.onLoss((failure) => {
      if (failure) fail(failure);
      else logger.warn('the embedded database ended and was started again');
    });
  });
}
