import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openEmbeddedDatabase, type EmbeddedDatabase } from '#embedded-database';
import { administrationOn, type UserAccounts, type UserGroups } from '#identity';
import { agreeOnLookupKey, Database, missingMigrations } from '#persistence';
import { KEY_FILE_NAME, readEncryptionKey, readPreviousKey, SecretBox, type Config } from '#platform';
import { CommandFailed } from './command-failed';

const POOL_SIZE = 3;

/** The instance that a command works on, opened when it is first needed. */
export class Instance {
  private embedded: EmbeddedDatabase | undefined;
  private database: Database | undefined;
  /** Seals and opens its secrets, and looks them up once the database is open. */
  readonly secrets = new SecretBox(
    () => this.readKey(),
    () => readPreviousKey(this.config),
  );

  constructor(
    readonly config: Config,
    private readonly anySchema: boolean,
  ) {}

  /** Whether the database is one of its own under DATA_DIR. */
  get isEmbedded(): boolean {
    return !this.config.DATABASE_URL;
  }

  /** Whether the embedded database was running before this command: a gateway is at work, or was killed. */
  get wasRunning(): boolean {
    return this.embedded?.adopted ?? false;
  }

  /**
   * The instance's database; an embedded one that does not run is started for this command.
   * @throws CommandFailed when there is no instance, or its schema is older than this version
   * @throws ConfigError when the key is not that of the instance
   */
  async open(): Promise<Database> {
    if (this.database) return this.database;
    const url = this.config.DATABASE_URL ?? (await this.openEmbedded());
    this.database = await Database.connect({
      url,
      poolSize: POOL_SIZE,
      applicationName: 'drawbridge command',
    });
    if (!this.anySchema && (await missingMigrations(this.database)).length > 0) {
      throw new CommandFailed(
        "The database schema is older than this version: run 'drawbridge migrate' first.",
      );
    }
    if (!this.anySchema && this.hasKey) await agreeOnLookupKey(this.database, this.secrets);
    return this.database;
  }

  /** Whether a key is configured, or lies in its data directory. */
  private get hasKey(): boolean {
    const { ENCRYPTION_KEY, ENCRYPTION_KEY_FILE } = this.config;
    return Boolean(ENCRYPTION_KEY || ENCRYPTION_KEY_FILE) || existsSync(this.ownKeyFile);
  }

  private get ownKeyFile(): string {
    return join(resolve(this.config.DATA_DIR), KEY_FILE_NAME);
  }

  private readKey(): Buffer {
    const { ENCRYPTION_KEY, ENCRYPTION_KEY_FILE } = this.config;
    const isConfigured = ENCRYPTION_KEY || ENCRYPTION_KEY_FILE;
    return readEncryptionKey(
      isConfigured ? this.config : { ...this.config, ENCRYPTION_KEY_FILE: this.ownKeyFile },
    );
  }

  /** Users and groups of the instance. */
  async administration(): Promise<{ users: UserAccounts; groups: UserGroups }> {
    return administrationOn(await this.open());
  }

  /** Lets go of the database, and stops it when it was started for this command. */
  async close(): Promise<void> {
    const { database, embedded } = this;
    this.database = undefined;
    this.embedded = undefined;
    await database?.close();
    await embedded?.stop();
  }

  private async openEmbedded(): Promise<string> {
    const dataDirectory = resolve(this.config.DATA_DIR);
    if (!existsSync(join(dataDirectory, 'postgres'))) {
      throw new CommandFailed(
        `There is no instance in DATA_DIR ${dataDirectory}: start the gateway there once, or set DATA_DIR or DATABASE_URL.`,
      );
    }
    this.embedded = await openEmbeddedDatabase({ dataDirectory, role: 'command' });
    return this.embedded.url;
  }
}
