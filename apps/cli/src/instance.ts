import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openEmbeddedDatabase, type EmbeddedDatabase } from '#embedded-database';
import { administrationOn } from '#identity';
import { agreeOnLookupKey, Database, missingMigrations } from '#persistence';
import {
  KEY_FILE_NAME,
  makeDirectory,
  readEncryptionKey,
  readPreviousKey,
  SecretBox,
  type Config,
} from '#platform';
import { CommandFailed } from './command-failed';

const POOL_SIZE = 3;

/** The instance that a command works on, opened at first use. */
export class Instance {
  private embedded: EmbeddedDatabase | undefined;
  private database: Database | undefined;
  private opening: Promise<Database> | undefined;
  private readonly interruption = new AbortController();
  private readonly underWay = new Set<Promise<unknown>>();
  /** Seals and opens its secrets; lookups work after the database is open. */
  readonly secrets = new SecretBox(
    () => this.readKey(),
    () => readPreviousKey(this.config),
  );

  constructor(
    readonly config: Config,
    private readonly anySchema: boolean,
  ) {}

  /** Whether the database is the embedded one under DATA_DIR. */
  get isEmbedded(): boolean {
    return !this.config.DATABASE_URL;
  }

  /** Whether the embedded database was running before this command: then a gateway is running, or was killed. */
  get wasRunning(): boolean {
    return this.embedded?.adopted ?? false;
  }

  /** The key file that is used if no key is configured; it need not exist. */
  get ownKeyFile(): string {
    return join(resolve(this.config.DATA_DIR), KEY_FILE_NAME);
  }

  /** Whether a key is configured or in the data directory. */
  get hasKey(): boolean {
    return this.isKeyConfigured || existsSync(this.ownKeyFile);
  }

  /** Whether the configuration contains the key. */
  get isKeyConfigured(): boolean {
    return Boolean(this.config.ENCRYPTION_KEY || this.config.ENCRYPTION_KEY_FILE);
  }

  /** The encryption key. @throws ConfigError if there is none */
  readKey(): Buffer {
    return readEncryptionKey(
      this.isKeyConfigured ? this.config : { ...this.config, ENCRYPTION_KEY_FILE: this.ownKeyFile },
    );
  }

  /**
   * Work that has to clean up after itself: if the command is interrupted, its signal aborts, and the database stays
   * open until the work has ended.
   */
  async interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const running = work(this.interruption.signal);
    this.underWay.add(running);
    try {
      return await running;
    } finally {
      this.underWay.delete(running);
    }
  }

  /** Ends running work as soon as possible. */
  async interrupt(): Promise<void> {
    this.interruption.abort(new CommandFailed('Interrupted: nothing of it was kept.'));
    await Promise.allSettled(this.underWay);
    await this.close();
  }

  /**
   * The instance's database; a stopped embedded one is started for this command.
   * @param options.create makes an embedded database if there is none
   * @throws CommandFailed if there is no instance, or its schema is older than this version
   * @throws ConfigError if the key is not that of the instance
   */
  open({ create = false } = {}): Promise<Database> {
    this.opening ??= this.connect(create);
    return this.opening;
  }

  private async connect(create: boolean): Promise<Database> {
    const url = this.config.DATABASE_URL ?? (await this.openEmbedded(create));
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

  /** Users and groups of the instance. */
  async administration(): Promise<ReturnType<typeof administrationOn>> {
    return administrationOn(await this.open(), this.config);
  }

  /** Closes the database, and stops it if it was started for this command. */
  async close(): Promise<void> {
    await this.opening?.catch(() => undefined);
    const { database, embedded } = this;
    this.opening = undefined;
    this.database = undefined;
    this.embedded = undefined;
    await database?.close();
    await embedded?.stop();
  }

  private async openEmbedded(create: boolean): Promise<string> {
    const dataDirectory = resolve(this.config.DATA_DIR);
    if (create) makeDirectory(dataDirectory);
    else if (!existsSync(join(dataDirectory, 'postgres'))) {
      throw new CommandFailed(
        `There is no instance in DATA_DIR ${dataDirectory}: start the gateway there once, or set DATA_DIR or DATABASE_URL.`,
      );
    }
    this.embedded = await openEmbeddedDatabase({ dataDirectory, role: 'command' });
    return this.embedded.url;
  }
}
