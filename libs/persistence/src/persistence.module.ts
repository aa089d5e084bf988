import { Global, Injectable, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import {
  CONFIG,
  type Config,
  ConfigError,
  ErrorPresenters,
  Metrics,
  Readiness,
  SecretBox,
  Unavailable,
} from '#platform';
import { ChangeFeed } from './change-feed';
import { isConnectionFailure } from './connection-failure';
import { Database } from './database';
import { agreeOnLookupKey } from './lookup-key';
import { missingMigrations } from './migrate';
import { ShareRepository } from './repositories/shares/share.repository';
import { statement } from './statement';

const PING = statement({
  name: 'database.ping',
  sql: 'SELECT 1',
});

const RETRY_AFTER_SECONDS = 5;

/** Failure that callers get while the database is away. */
const readFailure = (error: unknown): Unavailable | undefined =>
  isConnectionFailure(error)
    ? new Unavailable('the database cannot be reached', RETRY_AFTER_SECONDS, { cause: error })
    : undefined;

/** Opens and closes the database with the process; refuses a schema that is too old and another encryption key. */
@Injectable()
class DatabaseLifecycle implements OnModuleInit, OnApplicationShutdown {
  constructor(
    private readonly database: Database,
    private readonly feed: ChangeFeed,
    private readonly secrets: SecretBox,
    readiness: Readiness,
    metrics: Metrics,
    presenters: ErrorPresenters,
  ) {
    presenters.addReader(readFailure);
    readiness.add('database', () => database.rows(PING));
    metrics.gauge(
      'database_connections',
      'Connections to Postgres, and callers that wait for one',
      ['state'],
      () => Object.entries(database.usage()).map(([state, value]) => ({ labels: { state }, value })),
    );
  }

  async onModuleInit(): Promise<void> {
    const missing = await missingMigrations(this.database);
    if (missing.length > 0)
      throw new ConfigError(
        `The database schema is older than this version (${missing.join(', ')} missing): run 'drawbridge migrate' first.`,
      );
    await agreeOnLookupKey(this.database, this.secrets);
    await this.feed.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.feed.stop();
    await this.database.close();
  }
}

/** Providers of which a process has one instance for all its apps. */
const SHARED = [ShareRepository];

/** The database connection and the feed of changes, one of each in a process. */
@Global()
@Module({
  providers: [
    {
      provide: Database,
      inject: [CONFIG],
      useFactory: (config: Config) =>
        Database.connect({
          url: databaseUrl(config),
          poolSize: config.DATABASE_POOL,
          applicationName: 'drawbridge',
        }),
    },
    {
      provide: ChangeFeed,
      inject: [CONFIG],
      useFactory: (config: Config) => new ChangeFeed(databaseUrl(config)),
    },
    DatabaseLifecycle,
    ...SHARED,
  ],
  exports: [Database, ChangeFeed, ...SHARED],
})
export class PersistenceModule {}

function databaseUrl(config: Config): string {
  if (!config.DATABASE_URL) throw new ConfigError('DATABASE_URL is not set.');
  return config.DATABASE_URL;
}
