import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { StandingSignIns } from '#identity';
import {
  ChangeFeed,
  NEWS_KEPT_SECONDS,
  PushAudienceRepository,
  PushNewsRepository,
  type ChangeTopic,
  type NewsPosition,
  type NewsTopic,
} from '#persistence';
import { LOGGER, OutageLog, type Logger } from '#platform';
import { PushHub, type PushConnection } from './push-hub';

/** Pause between two readings of news. */
const READ_EVERY_MS = 100;
/** News are read for this long without a connection, because a connection is added after `begin`. */
const IDLE_MS = 10_000;
/** Pause after which news may have been deleted. */
const TOO_LONG_MS = (NEWS_KEPT_SECONDS * 1000) / 2;
/** Pause after a failure. */
const RETRY_MS = 2000;
/** Maximum of changed nodes whose audience is read at once. */
const AT_ONCE = 2000;
/** Maximum of news that are read at once or wait; beyond that, all clients are told to look for themselves. */
const MOST_WAITING = 50_000;

/** Finds the connections that changes concern: they get a message, or end with their sign-in. */
@Injectable()
export class PushChanges implements OnModuleInit, OnModuleDestroy {
  private readonly nodes = new Set<number>();
  private readonly groups = new Set<string>();
  private readonly doubted = new Set<PushConnection>();
  private readonly heard: Partial<Record<ChangeTopic, (key: string) => void>> = {
    account: (uid) => {
      this.hub.mark(uid, 'file');
      this.doubt(this.hub.of(uid));
    },
    session: (id) =>
      this.doubtWhere(({ evidence }) => evidence.kind === 'session' && evidence.id === Number(id)),
    'app-password': () => this.doubtWhere(({ evidence }) => evidence.kind === 'app-password'),
    setting: () => this.doubt(this.hub.all()),
  };
  private readonly read: Readonly<Record<NewsTopic, (key: string) => void>> = {
    node: (id) => this.nodes.add(Number(id)),
    'group-mounts': (gid) => this.groups.add(gid),
    mounts: (uid) => this.markMounts(uid),
    notices: (uid) => this.hub.mark(uid, 'notification'),
    activity: (uid) => this.hub.mark(uid, 'activity'),
  };
  /** Absent while nobody is connected. */
  private position: NewsPosition | undefined;
  private beginning: Promise<void> | undefined;
  private neededAt = 0;
  private readAt = 0;
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;
  private readonly outage: OutageLog;

  constructor(
    private readonly hub: PushHub,
    private readonly feed: ChangeFeed,
    private readonly audience: PushAudienceRepository,
    private readonly news: PushNewsRepository,
    private readonly signIns: StandingSignIns,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.outage = new OutageLog(logger.child({ subsystem: 'push' }), 'the source of news');
  }

  onModuleInit(): void {
    this.feed.onChange((topic, key) => this.heard[topic]?.(key));
    this.feed.onGap(() => {
      this.hub.markAll();
      this.doubt(this.hub.all());
    });
    this.hub.onEachPass((connections) => this.doubt(connections));
  }

  onModuleDestroy(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }

  /** Resolves when news are read. A connection that is added then gets all later ones. */
  async begin(): Promise<void> {
    this.neededAt = performance.now();
    if (this.position) return;
    await (this.beginning ??= this.start().finally(() => (this.beginning = undefined)));
  }

  private async start(): Promise<void> {
    this.position = await this.news.begin();
    this.readAt = performance.now();
    this.work();
  }

  /** Received shares were added, removed or moved, or wait to be accepted. */
  private markMounts(uid: string): void {
    this.hub.mark(uid, 'file');
    this.hub.mark(uid, 'notification');
  }

  private doubt(connections: Iterable<PushConnection>): void {
    for (const connection of connections) this.doubted.add(connection);
    if (this.doubted.size > 0) this.work();
  }

  private doubtWhere(matches: (signIn: PushConnection['signIn']) => boolean): void {
    this.doubt([...this.hub.all()].filter(({ signIn }) => matches(signIn)));
  }

  private work(inMs = READ_EVERY_MS): void {
    if (this.isStopped) return;
    this.timer ??= setTimeout(() => void this.settle(), inMs).unref();
  }

  /** Runs one after the other; changes that are announced in the meantime wait for the next run. */
  private async settle(): Promise<void> {
    let pauseMs = READ_EVERY_MS;
    try {
      await this.readNews();
      await this.endSignedOut();
      await this.markConcerned();
      // Changes were lost during the outage.
      if (this.outage.isUnderWay) this.hub.markAll();
      this.outage.worked();
    } catch (error) {
      this.outage.failed(error);
      pauseMs = RETRY_MS;
    }
    this.timer = undefined;
    if (this.position || this.nodes.size + this.groups.size + this.doubted.size > 0) this.work(pauseMs);
  }

  private async readNews(): Promise<void> {
    if (!this.position) return;
    const now = performance.now();
    if (this.hub.isEmpty && now - this.neededAt > IDLE_MS) {
      this.position = undefined;
      return;
    }
    const { news, position, isComplete } = await this.news.read(this.position, MOST_WAITING);
    if (!isComplete || now - this.readAt > TOO_LONG_MS) this.hub.markAll();
    [this.position, this.readAt] = [position, now];
    for (const { topic, key } of news) this.read[topic](key);
  }

  private async endSignedOut(): Promise<void> {
    const doubted = [...this.doubted];
    this.doubted.clear();
    if (doubted.length === 0) return;
    try {
      const ended = new Set(await this.signIns.ended(doubted.map(({ signIn }) => signIn)));
      for (const connection of doubted)
        if (ended.has(connection.signIn)) this.hub.end(connection, 'signed-out');
    } catch (error) {
      for (const connection of doubted) this.doubted.add(connection);
      throw error;
    }
  }

  private async markConcerned(): Promise<void> {
    if (this.nodes.size > MOST_WAITING) {
      this.nodes.clear();
      this.hub.markAll();
    }
    const nodeIds = take(this.nodes, AT_ONCE);
    const gids = take(this.groups, AT_ONCE);
    const { uids } = this.hub;
    if (uids.length === 0) return;
    if (gids.length > 0) for (const uid of await this.audience.ofGroups(gids, uids)) this.markMounts(uid);
    if (nodeIds.length > 0)
      for (const { uid, nodeIds: seen } of await this.audience.ofNodes(nodeIds, uids))
        this.hub.mark(uid, 'file', seen);
  }
}

function take<T>(set: Set<T>, most: number): T[] {
  const taken: T[] = [];
  for (const item of set) {
    if (taken.length === most) break;
    taken.push(item);
    set.delete(item);
  }
  return taken;
}
