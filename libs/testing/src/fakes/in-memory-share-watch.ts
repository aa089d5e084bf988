import type {
  DueShare,
  Showing,
  ShareWatchPorts,
  ShownEntry,
  WatchDecision,
  WatchedContent,
  WatchedShares,
} from '#federation/exchange';
import type { InMemoryExchange } from './in-memory-exchange';

const DAY_MS = 86_400_000;

/** A watched received share; `paths` decide its server's answers. */
interface Watched extends DueShare {
  nextProbeAtMs: number | null;
  doubt: string | undefined;
}

/** Watched received shares in memory, with their own clock. */
export class InMemoryShareWatch implements ShareWatchPorts<Watched> {
  nowMs = Date.UTC(2030, 0, 1);
  /** Servers that do not count as partners at the moment. */
  readonly unwell = new Set<string>();
  /** Answer of each server to probes; without an entry the share is shown. */
  readonly answers = new Map<string, Exclude<Showing<ShownEntry>['kind'], 'shown'>>();
  /** ETags at the servers by path, for all shares. */
  readonly etags = new Map<string, string>([['', 'root']]);
  /** ETags of folders at the time of the last reading. */
  readonly readFolders = new Map<string, string | null>();
  /** Probes, as `id path depth`. */
  readonly asked: string[] = [];
  /** Servers that were discovered. */
  readonly greeted: string[] = [];
  readonly refusals: number[] = [];
  readonly failures: string[] = [];
  /** Shares whose acceptance was sent again. */
  readonly repeated: number[] = [];
  /** Pauses of partners after a visit, in milliseconds. */
  readonly pauses = new Map<number, number>();
  private readonly due = new Map<number, Watched>();
  private isEnding = false;

  constructor(private readonly exchange: InMemoryExchange) {}

  get acceptance(): InMemoryExchange['acceptance'] {
    return this.exchange.acceptance;
  }

  readonly random = { next: () => 0 };

  add(receivedShareId: number, hostKey: string, given: Partial<DueShare> = {}): void {
    this.due.set(receivedShareId, {
      ...{ receivedShareId, peerId: this.exchange.enter(hostKey).id, hostKey, name: 'plans' },
      ...{
        recipientUid: 'alice',
        fileTarget: '/plans',
        etag: null,
        use: { recipientIsActive: true, isInUse: false, inUseThere: 0, partnerReports: false },
        access: {},
        nowMs: this.nowMs,
      },
      ...{ state: 'accepted', verified: true, failedProbes: 0 },
      ...{ unreachableSinceMs: null, quarantinedAtMs: null, goneAtMs: null },
      ...given,
      ...{ nextProbeAtMs: this.nowMs, doubt: undefined },
    });
  }

  one(receivedShareId: number): Watched {
    return this.due.get(receivedShareId)!;
  }

  letPass(days: number): void {
    this.nowMs += days * DAY_MS;
  }

  stop(): void {
    this.isEnding = true;
  }

  readonly shares: WatchedShares<Watched> = {
    claim: ({ sharesPerPartner }) => {
      const due = [...this.due.values()].filter(
        ({ nextProbeAtMs }) => nextProbeAtMs !== null && nextProbeAtMs <= this.nowMs,
      );
      const byPartner = [...Map.groupBy(due, ({ peerId }) => peerId).values()];
      const claimed = byPartner.flatMap((shares) => shares.slice(0, sharesPerPartner));
      return Promise.resolve(claimed.map((share) => ({ ...share, nowMs: this.nowMs })));
    },
    leavePartner: (peerId, untilMs) => Promise.resolve(void this.pauses.set(peerId, untilMs - this.nowMs)),
    finish: (share, decision) => this.put(share, decided(decision)),
    takeBack: (share, decision, wished) => this.put(share, { ...decided(decision), fileTarget: wished }),
    announceFirstProbe: () => Promise.resolve(),
    repeatAcceptance: ({ receivedShareId }) => Promise.resolve(void this.repeated.push(receivedShareId)),
    noteDoubt: (share, doubt) => this.put(share, { doubt }),
  };

  readonly content: WatchedContent<Watched, ShownEntry> = {
    show: (share, path, depth) => {
      this.asked.push(`${share.receivedShareId} ${path} ${depth}`);
      const answer = this.answers.get(share.hostKey);
      return Promise.resolve(answer ? { kind: answer } : this.shown(path, depth));
    },
    confirm: (share) => {
      this.asked.push(`${share.receivedShareId} confirm`);
      return Promise.resolve({ kind: this.answers.get(share.hostKey) ?? 'confirmed' });
    },
    describeOffer: (share, { etag }) => this.put(share, { etag }),
    record: (share, path, _depth, [first]) => {
      if (this.readFolders.has(path)) this.readFolders.set(path, first!.etag);
      return path === '' ? this.put(share, { etag: first!.etag }) : Promise.resolve();
    },
    readFolders: () =>
      Promise.resolve([...this.readFolders].map(([path, partnerEtag]) => ({ path, partnerEtag }))),
  };

  isWell(hostKey: string): Promise<boolean> {
    this.greeted.push(hostKey);
    return Promise.resolve(!this.unwell.has(hostKey));
  }

  isStopped(): boolean {
    return this.isEnding;
  }

  onRefusal({ receivedShareId }: Watched): void {
    this.refusals.push(receivedShareId);
  }

  onFailure(hostKey: string): void {
    this.failures.push(hostKey);
  }

  private shown(path: string, depth: 0 | 1): Showing<ShownEntry> {
    const entry = (at: string): ShownEntry => ({ path: at, kind: 'folder', etag: this.etags.get(at)! });
    const below = [...this.etags.keys()].filter(
      (at) => at !== path && at.slice(0, at.lastIndexOf('/')) === path,
    );
    return { kind: 'shown', entries: [entry(path), ...(depth === 1 ? below.map(entry) : [])] };
  }

  private put(
    { receivedShareId }: Watched,
    values: Partial<WatchDecision> & Partial<Pick<Watched, 'etag' | 'doubt' | 'fileTarget'>>,
  ): Promise<void> {
    this.due.set(receivedShareId, { ...this.one(receivedShareId), ...values });
    return Promise.resolve();
  }
}

/** The decision without the other fields of its share, which may be outdated. */
function decided(decision: WatchDecision): WatchDecision {
  const { state, verified, failedProbes, nextProbeAtMs } = decision;
  const { unreachableSinceMs, quarantinedAtMs, goneAtMs } = decision;
  return { state, verified, failedProbes, nextProbeAtMs, unreachableSinceMs, quarantinedAtMs, goneAtMs };
}
