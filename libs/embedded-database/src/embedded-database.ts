import type { ChildProcess } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { locateBinaries, type Binaries } from './binaries';
import { clusterDirectoryOf, prepareCluster, type Cluster } from './cluster';
import { ensureDatabase, ownerName, tryToConnect, tryToOwn } from './connection';
import { EmbeddedDatabaseError, failureIn } from './embedded-database-error';
import {
  beginStop,
  finishStop,
  isEarlierServerEnding,
  isRunning,
  lastLogLine,
  startPostmaster,
  type ServerSettings,
} from './postmaster';
import { chooseServiceAccount, type ChosenAccount, type ServiceAccount } from './service-account';
import { databaseUrl, openSocketDirectory, type SocketDirectory } from './socket-address';
import { SYSTEM_ACCOUNTS } from './system-accounts';
import { takeOver } from './take-over';

export interface EmbeddedDatabaseOptions {
  /** DATA_DIR, which exists and is writable. The cluster is in `postgres` below it. */
  readonly dataDirectory: string;
  /**
   * `gateway` owns the database: a second one on the same directory is refused. `command` works beside a
   * gateway, and owns the database only if it had to start it.
   */
  readonly role: 'gateway' | 'command';
  /** Replacements for the usual settings of postgresql.conf. */
  readonly settings?: ServerSettings;
  /** Called with messages for people about slow steps. */
  readonly announce?: (line: string) => void;
}

/** A running PostgreSQL of our own. */
export interface EmbeddedDatabase {
  /** Address of the database, valid in this process only. */
  readonly url: string;
  /** Whether it was already running: the process that started it is gone, or still working. */
  readonly adopted: boolean;
  /**
   * Called when the server has died: without an argument when it runs again, with the reason if it cannot
   * be started and this process cannot continue.
   */
  onLoss(listener: (failure?: Error) => void): void;
  /** Shuts the server down if this process owns it; otherwise only disconnects. `hurry` ends other sessions at once. */
  stop(options?: { hurry?: boolean }): Promise<void>;
}

const DATABASE = 'drawbridge';
const START_LIMIT_MS = 60_000;
/** A gateway that was just killed, or a command that is finishing, releases the database within this time. */
const OWNER_LIMIT_MS = 3_000;
const POLL_MS = 50;
const LONGEST_PAUSE_MS = 1_000;
/** A server that is refused because an earlier one still ends is started again until START_LIMIT_MS. */
const STARTS_AT_MOST = 6;

/**
 * Starts the embedded PostgreSQL in the data directory, or uses one that already runs there.
 * @throws EmbeddedDatabaseError with one sentence for people
 */
export async function openEmbeddedDatabase(options: EmbeddedDatabaseOptions): Promise<EmbeddedDatabase> {
  const announce = options.announce ?? (() => undefined);
  const account = settleAccount(options.dataDirectory, announce);
  const binaries = locateBinaries(account);
  const cluster = prepareCluster(options.dataDirectory, account, binaries, announce);
  const socket = openSocketDirectory(cluster.directory);
  try {
    const server = new Server(options, cluster, binaries, socket);
    await server.attach();
    return server;
  } catch (error) {
    socket.release();
    throw error;
  }
}

/** Chooses the cluster's account, and gives it all files of the cluster. */
function settleAccount(dataDirectory: string, announce: (line: string) => void): ServiceAccount {
  const directory = clusterDirectoryOf(dataDirectory);
  const { account, isTakenOver, exposure } = chooseAccountOf(dataDirectory);
  if (exposure !== undefined) announce(`Warning: ${exposure}`);
  if (account && isTakenOver) takeOver(directory, account);
  return account;
}

/**
 * Reason why programs of another account can read the embedded database in a data directory, for people; undefined if they
 * cannot.
 */
export function exposureOf(dataDirectory: string): string | undefined {
  return chooseAccountOf(dataDirectory).exposure;
}

function chooseAccountOf(dataDirectory: string): ChosenAccount {
  const directory = clusterDirectoryOf(dataDirectory);
  return chooseServiceAccount(dataDirectory, directory, SYSTEM_ACCOUNTS, () => isRunning(directory));
}

class Server implements EmbeddedDatabase {
  readonly url: string;
  adopted = true;
  private readonly options: EmbeddedDatabaseOptions;
  private readonly cluster: Cluster;
  private readonly binaries: Binaries;
  private readonly socket: SocketDirectory;
  private readonly lossListeners: ((failure?: Error) => void)[] = [];
  private client: pg.Client | undefined;
  private owned = false;
  private stopping = false;

  constructor(
    options: EmbeddedDatabaseOptions,
    cluster: Cluster,
    binaries: Binaries,
    socket: SocketDirectory,
  ) {
    this.options = options;
    this.cluster = cluster;
    this.binaries = binaries;
    this.socket = socket;
    this.url = databaseUrl(cluster, socket, DATABASE);
  }

  /** Connects, starts the server if none is running, and becomes its owner if the role requires that. */
  async attach(): Promise<void> {
    const adminUrl = databaseUrl(this.cluster, this.socket, 'postgres');
    const deadline = Date.now() + START_LIMIT_MS;
    let started: ChildProcess | undefined;
    for (let starts = 0; Date.now() < deadline && !this.stopping;) {
      const attempt = await tryToConnect(adminUrl);
      if (attempt.kind === 'connected' && (await this.settle(attempt.client, started !== undefined))) return;
      if (attempt.kind === 'absent' && hasEnded(started)) {
        if (starts++ >= STARTS_AT_MOST && !isEarlierServerEnding(this.cluster)) throw this.failure();
        started = startPostmaster(this.cluster, this.binaries, this.options.settings ?? {});
      }
      await pause(Math.min(POLL_MS * (1 + starts), LONGEST_PAUSE_MS));
    }
    throw this.failure();
  }

  onLoss(listener: (failure?: Error) => void): void {
    this.lossListeners.push(listener);
  }

  async stop({ hurry = false } = {}): Promise<void> {
    if (this.stopping) return;
    this.stopping = true;
    // The server is told to stop before our session ends: after that nobody else can become the owner of a stopping server.
    const pid = this.owned ? beginStop(this.cluster, hurry) : undefined;
    await this.client?.end().catch(() => undefined);
    if (pid !== undefined) await finishStop(this.cluster, pid);
    this.socket.release();
  }

  /** @returns false if the server ended in the meantime */
  private async settle(client: pg.Client, isOurs: boolean): Promise<boolean> {
    try {
      if (this.options.role === 'gateway' || isOurs) await this.becomeOwner(client);
      await ensureDatabase(client, DATABASE);
    } catch (error) {
      await client.end().catch(() => undefined);
      if (error instanceof EmbeddedDatabaseError) throw error;
      return false;
    }
    this.adopted = !isOurs;
    this.client = client;
    client.on('end', () => void this.recover());
    return true;
  }

  private async becomeOwner(client: pg.Client): Promise<void> {
    const deadline = Date.now() + OWNER_LIMIT_MS;
    while (!(await tryToOwn(client))) {
      if (this.options.role === 'command') return;
      if (Date.now() > deadline) {
        throw new EmbeddedDatabaseError(
          `${this.options.dataDirectory} is in use by ${await ownerName(client)}: stop that gateway, or give this one a DATA_DIR and PORT of its own.`,
        );
      }
      await pause(POLL_MS);
    }
    this.owned = true;
  }

  private async recover(): Promise<void> {
    if (this.stopping) return;
    try {
      if (!this.owned)
        throw new EmbeddedDatabaseError('The gateway that runs the embedded database stopped it.');
      await this.attach();
      for (const notify of this.lossListeners) notify();
    } catch (error) {
      for (const notify of this.lossListeners) notify(error as Error);
    }
  }

  private failure(): EmbeddedDatabaseError {
    const said = lastLogLine(this.cluster);
    return failureIn(
      this.cluster.directory,
      said,
      `The embedded database does not start (${said}): see ${this.cluster.logFile}.`,
    );
  }
}

function hasEnded(child: ChildProcess | undefined): boolean {
  return (
    child === undefined || child.pid === undefined || child.exitCode !== null || child.signalCode !== null
  );
}
