import type { Socket } from 'node:net';
import pg from 'pg';
import { CONNECT_LIMIT_MS } from './connect-limit';

/**
 * The changed object: `account:alice`, `group:staff`, `setting:core`, `capability:notes`; also news for the outbox and
 * about partners. `look:7`: a received share of partner 7 has to be probed now; `first-look:alice`: the first probe of one of Alice's
 * shares ended; `session:7` ended. Frequent changes are announced after their commit (`CommittedNews`) or not at all, because commits with announcements wait for each other.
 */
export type ChangeTopic =
  | 'account'
  | 'app-password'
  | 'group'
  | 'setting'
  | 'capability'
  | 'outbox'
  | 'delivery'
  | 'peer'
  | 'partner-keys'
  | 'signing-key'
  | 'invitation'
  | 'foreign-link'
  | 'mail-lookup'
  | 'partner-rename'
  | 'look'
  | 'first-look'
  | 'session';
type Listener = (topic: ChangeTopic, key: string) => void;

const CHANNEL = 'drawbridge_changes';
/** Maximum age of cached copies while no changes can be received (the rule of freshness). */
export const STALE_AFTER_MS = 1000;
const PROBE_EVERY_MS = 300;
const PROBE_TIMEOUT_MS = 400;
const RECONNECT_AFTER_MS = 200;

/**
 * Listens on its own connection for changes of tables whose rows replicas keep in memory.
 *
 * The connection is checked three times a second, so that a silent break is noticed within a
 * second, too. While it is down `isLive` is false, and caches must not use copies older than
 * STALE_AFTER_MS. When it is back, all cached copies are dropped, since changes may have been missed.
 */
export class ChangeFeed {
  private readonly listeners = new Set<Listener>();
  private readonly gapListeners = new Set<() => void>();
  private client: pg.Client | undefined;
  private timer: NodeJS.Timeout | undefined;
  private live = false;
  private stopped = false;

  constructor(private readonly url: string) {}

  get isLive(): boolean {
    return this.live;
  }

  /** Starts listening; resolves when the first connection is made. */
  async start(): Promise<void> {
    await this.connect();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.live = false;
    clearTimeout(this.timer);
    await this.client?.end().catch(() => undefined);
  }

  onChange(listener: Listener): void {
    this.listeners.add(listener);
  }

  /** Calls `listener` when changes may have been missed: then all cached copies have to be dropped. */
  onGap(listener: () => void): void {
    this.gapListeners.add(listener);
  }

  /** Tells the caches of this process at once, without the round trip through Postgres. */
  announceLocally(topic: ChangeTopic, key: string): void {
    for (const listener of this.listeners) listener(topic, key);
  }

  private async connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.url,
      application_name: 'drawbridge change feed',
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_LIMIT_MS,
    });
    client.on('notification', (message) => this.hear(message.payload ?? ''));
    client.on('error', () => this.lose(client));
    client.on('end', () => this.lose(client));
    this.client = client;
    await client.connect();
    await client.query(`LISTEN ${CHANNEL}`);
    for (const forget of this.gapListeners) forget();
    this.live = true;
    this.scheduleProbe(client);
  }

  private hear(payload: string): void {
    const colon = payload.indexOf(':');
    this.announceLocally(payload.slice(0, colon) as ChangeTopic, payload.slice(colon + 1));
  }

  private scheduleProbe(client: pg.Client): void {
    this.timer = setTimeout(() => {
      const deadline = setTimeout(() => this.lose(client), PROBE_TIMEOUT_MS);
      client.query('SELECT 1').then(
        () => {
          clearTimeout(deadline);
          if (client === this.client) this.scheduleProbe(client);
        },
        () => {
          clearTimeout(deadline);
          this.lose(client);
        },
      );
    }, PROBE_EVERY_MS).unref();
  }

  private lose(client: pg.Client): void {
    if (client !== this.client) return;
    this.client = undefined;
    this.live = false;
    clearTimeout(this.timer);
    client.removeAllListeners();
    client.on('error', () => undefined);
    cut(client);
    this.reconnectLater();
  }

  private reconnectLater(): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.connect().catch(() => {
        const failed = this.client;
        if (failed) this.lose(failed);
      });
    }, RECONNECT_AFTER_MS).unref();
  }
}

/** Ends a lost connection without the closing message: writing to a closed socket would throw. */
function cut(client: pg.Client): void {
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Socket } }).connection;
  stream.on('error', () => undefined);
  stream.destroy();
}
