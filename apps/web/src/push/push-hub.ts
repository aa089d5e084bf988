import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { StandingSignIn } from '#identity';
import { CONFIG, Metrics, type Config } from '#platform';
import { joinedNodes, PUSH_SIGNALS, type ChangedNodes, type PushSignal } from './push-signal';

/** Maximum of connections of one account to one process. */
const MOST_OF_ACCOUNT = 64;
/** Time for which news are collected before they are sent. */
const COLLECTED_MS = 100;
/** Minimum time between two messages on a connection. */
const PAUSE_MS = 1000;
/** Maximum of clients that get news at once, so that those of a large folder do not all send requests at the same moment. */
const SENT_AT_ONCE = 1000;
/** Time after which a client that does not read is disconnected. */
const UNREAD_MS = 60_000;
/** Number of turns, of one second each, in which every connection is checked once. */
const TURNS = 30;
const TURN_MS = 1000;

/** Reason why a connection ends: its sign-in has ended, its client does not read, or the process stops. */
export type EndOfPushes = 'signed-out' | 'unread' | 'closing';

/** The connection to one client. */
export interface PushChannel {
  send(signal: PushSignal, nodes: ChangedNodes): void;
  /** Whether the client has to read before more can be sent. */
  isFull(): boolean;
  /** Checks whether the client is there. @returns false if it is gone */
  beat(): boolean;
  end(why: EndOfPushes): void;
}

/** A client that gets messages about changes. */
export class PushConnection {
  /** Waiting news, with the changed nodes for `file`. */
  readonly waiting = new Map<PushSignal, ChangedNodes>();
  sentAt = 0;
  /** Time since which its client does not read; 0 while it does. */
  fullSince = 0;

  constructor(
    readonly signIn: StandingSignIn,
    readonly channel: PushChannel,
    readonly turn: number,
  ) {}
}

/**
 * The connections of this process, by account. Waiting news are one mark per kind for each connection, and never
 * a queue: a client that does not read costs no memory, and gets the sum of them later.
 */
@Injectable()
export class PushHub implements OnModuleDestroy {
  private readonly byUid = new Map<string, Set<PushConnection>>();
  private readonly turns = Array.from({ length: TURNS }, () => new Set<PushConnection>());
  private readonly marked = new Set<PushConnection>();
  private readonly sent;
  private count = 0;
  private opened = 0;
  private turnsTaken = 0;
  private isClosing = false;
  private flushing: NodeJS.Timeout | undefined;
  private readonly turning: NodeJS.Timeout;
  private onTurn: (connections: Iterable<PushConnection>) => void = () => undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'PUSH_CONNECTIONS'>,
    metrics: Metrics,
  ) {
    this.sent = metrics.counter('pushes_total', 'News that clients were sent', ['signal']);
    metrics.gauge('push_connections', 'Clients that are connected to be told of changes', [], () => [
      { labels: {}, value: this.count },
    ]);
    this.turning = setInterval(() => this.nextTurn(), TURN_MS).unref();
  }

  /** Whether this process accepts no more connections. */
  get isFull(): boolean {
    return this.isClosing || this.count >= this.config.PUSH_CONNECTIONS;
  }

  get isEmpty(): boolean {
    return this.count === 0;
  }

  /** User ids of connected accounts. */
  get uids(): string[] {
    return [...this.byUid.keys()];
  }

  /** Calls `look` once a second with the connections that are checked in this turn. */
  onEachPass(look: (connections: Iterable<PushConnection>) => void): void {
    this.onTurn = look;
  }

  /** @returns undefined if the account or the process has too many connections */
  add(signIn: StandingSignIn, channel: PushChannel): PushConnection | undefined {
    const own = this.byUid.get(signIn.uid) ?? new Set();
    if (this.isFull || own.size >= MOST_OF_ACCOUNT) return undefined;
    const connection = new PushConnection(signIn, channel, this.opened++ % TURNS);
    this.byUid.set(signIn.uid, own.add(connection));
    this.turns[connection.turn]!.add(connection);
    this.count += 1;
    return connection;
  }

  /** @returns whether it existed */
  remove(connection: PushConnection): boolean {
    const { signIn, turn } = connection;
    const own = this.byUid.get(signIn.uid);
    if (!own?.delete(connection)) return false;
    if (own.size === 0) this.byUid.delete(signIn.uid);
    this.turns[turn]!.delete(connection);
    this.marked.delete(connection);
    this.count -= 1;
    return true;
  }

  end(connection: PushConnection, why: EndOfPushes): void {
    if (this.remove(connection)) connection.channel.end(why);
  }

  of(uid: string): Iterable<PushConnection> {
    return this.byUid.get(uid) ?? [];
  }

  *all(): Iterable<PushConnection> {
    for (const connections of this.byUid.values()) yield* connections;
  }

  /** @param nodes changed ones; absent if they are not known */
  mark(uid: string, signal: PushSignal, nodes?: readonly number[]): void {
    for (const connection of this.of(uid)) this.markOne(connection, signal, nodes);
  }

  /** Tells every client to check for changes, because news may have been missed. */
  markAll(): void {
    for (const connection of this.all())
      for (const signal of PUSH_SIGNALS) this.markOne(connection, signal, undefined);
  }

  onModuleDestroy(): void {
    this.isClosing = true;
    clearInterval(this.turning);
    clearTimeout(this.flushing);
    for (const connection of [...this.all()]) this.end(connection, 'closing');
  }

  private markOne(
    connection: PushConnection,
    signal: PushSignal,
    nodes: readonly number[] | undefined,
  ): void {
    connection.waiting.set(signal, joinedNodes(connection.waiting.get(signal), nodes));
    this.marked.add(connection);
    this.flushing ??= setTimeout(() => this.flush(), COLLECTED_MS).unref();
  }

  private flush(): void {
    const now = Date.now();
    let left = SENT_AT_ONCE;
    for (const connection of this.marked) {
      if (left === 0) break;
      if (connection.channel.isFull()) {
        connection.fullSince ||= now;
        if (now - connection.fullSince >= UNREAD_MS) this.end(connection, 'unread');
      } else if (now - connection.sentAt >= PAUSE_MS) {
        this.send(connection, now);
        left -= 1;
      }
    }
    this.flushing = this.marked.size > 0 ? setTimeout(() => this.flush(), COLLECTED_MS).unref() : undefined;
  }

  private send(connection: PushConnection, now: number): void {
    for (const [signal, nodes] of connection.waiting) {
      connection.channel.send(signal, nodes);
      this.sent.inc({ signal });
    }
    connection.waiting.clear();
    connection.sentAt = now;
    connection.fullSince = 0;
    this.marked.delete(connection);
  }

  private nextTurn(): void {
    const turn = this.turns[this.turnsTaken++ % TURNS]!;
    for (const connection of turn) if (!connection.channel.beat()) this.end(connection, 'unread');
    this.onTurn(turn);
  }
}
