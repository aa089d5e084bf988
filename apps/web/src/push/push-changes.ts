import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { StandingSignIns } from '#identity';
import { ChangeFeed, PushAudienceRepository, type ChangeTopic } from '#persistence';
import { LOGGER, OutageLog, type Logger } from '#platform';
import { PushHub, type PushConnection } from './push-hub';

/** Time for which changes are collected before their audience is read. */
const COLLECTED_MS = 100;
/** Pause after a failure. */
const RETRY_MS = 2000;
/** Maximum of changed nodes whose audience is read at once. */
const AT_ONCE = 2000;
/** Maximum of changed nodes that wait; beyond that, all clients are told to check for themselves. */
const MOST_WAITING = 50_000;

/** Finds the connections that announced changes concern: they get a message, or end with their sign-in. */
@Injectable()
export class PushChanges implements OnModuleInit, OnModuleDestroy {
  private readonly nodes = new Set<number>();
  private readonly groups = new Set<string>();
  private readonly doubted = new Set<PushConnection>();
  private readonly heard: Partial<Record<ChangeTopic, (key: string) => void>> = {
    node: (id) => this.collect(this.nodes, Number(id)),
    'group-mounts': (gid) => this.collect(this.groups, gid),
    mounts: (uid) => this.markMounts(uid),
    notices: (uid) => this.hub.mark(uid, 'notification'),
    activity: (uid) => this.hub.mark(uid, 'activity'),
    account: (uid) => {
      this.hub.mark(uid, 'file');
      this.doubt(this.hub.of(uid));
    },
    session: (id) =>
      this.doubtWhere(({ evidence }) => evidence.kind === 'session' && evidence.id === Number(id)),
    'app-password': () => this.doubtWhere(({ evidence }) => evidence.kind === 'app-password'),
    setting: () => this.doubt(this.hub.all()),
  };
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;
  private readonly outage: OutageLog;

  constructor(
    private readonly hub: PushHub,
    private readonly feed: ChangeFeed,
    private readonly audience: PushAudienceRepository,
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

  private collect<T>(set: Set<T>, item: T): void {
    if (this.hub.isEmpty) return;
    set.add(item);
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

  private work(inMs = COLLECTED_MS): void {
    if (this.isStopped) return;
    this.timer ??= setTimeout(() => void this.settle(), inMs).unref();
  }

  /** Runs one after the other; changes that are announced in the meantime wait for the next run. */
  private async settle(): Promise<void> {
    let pauseMs = COLLECTED_MS;
    try {
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
    if (this.nodes.size + this.groups.size + this.doubted.size > 0) this.work(pauseMs);
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
