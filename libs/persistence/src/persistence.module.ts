import { Global, Injectable, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { CONFIG, type Config, ConfigError, Readiness, SecretBox } from '#platform';
import { ChangeFeed } from './change-feed';
import { Database } from './database';
import { missingMigrations } from './migrate';
import { ShareRepository } from './repositories/share.repository';
import { statement } from './statement';

// The first process to come leaves the mark that all later ones must match.
const MATCH_KEY = statement<{ matches: boolean }>(
  'instance.match_key',
  'UPDATE instance SET key_check = COALESCE(key_check, $1) RETURNING key_check = $1 AS matches',
);
const PING = statement('database.ping', 'SELECT 1');

/** Opens and closes the database with the process; refuses a schema that is too old and another encryption key. */
@Injectable()
class DatabaseLifecycle implements OnModuleInit, OnApplicationShutdown {
  constructor(
    private readonly database: Database,
    private readonly feed: ChangeFeed,
    private readonly secrets: SecretBox,
    readiness: Readiness,
  ) {
    readiness.add('database', () => database.rows(PING));
  }

  async onModuleInit(): Promise<void> {
    const missing = await missingMigrations(this.database);
    if (missing.length > 0)
      throw new ConfigError(
        `The database schema is older than this version (${missing.join(', ')} missing): run 'drawbridge migrate' first.`,
      );
    await this.assertKey();
    await this.feed.start();
  }

  /** With another key than the others' nothing that is sealed could be opened. */
  private async assertKey(): Promise<void> {
    const [row] = await this.database.rows(MATCH_KEY, [
      this.secrets.lookup('encryption key of this instance'),
    ]);
    if (!row?.matches)
      throw new ConfigError(
        'The encryption key is not the one this database is used with: give every process the same ENCRYPTION_KEY or ENCRYPTION_KEY_FILE.',
      );
  }

  async onApplicationShutdown(): Promise<void> {
    await this.feed.stop();
    await this.database.close();
  }
}

/** What every app of a process uses the same one of. */
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
