import { Inject, Injectable } from '@nestjs/common';
import type {
  RoundLimits,
  Showing,
  ShareWatchPorts,
  WatchDecision,
  WatchedContent,
  WatchedShares,
} from '#federation/exchange';
import { Database, ShareWatchRepository, type ClaimedProbe } from '#persistence';
import { LOGGER, type Logger } from '#platform';
import { REMOTE_FILES, RemoteFailure, type RemoteEntry, type RemoteFiles } from '#federation/remote-files';
import { ReceivedShareAcceptance, ReceivedShares, recordProbe, rootOf, type NodePath } from '#storage';
import { PartnerHealth } from './partner-health';
import { PartnersToProbe } from './partners-to-probe';

/** Time limit of one probe, in milliseconds. */
const PROBE_MS = 5_000;

/** Received shares in the database and their content at partners, for the watch of the exchange. */
@Injectable()
export class StoredShareWatch implements ShareWatchPorts<ClaimedProbe, RemoteEntry> {
  private readonly logger: Logger;
  private readonly partners = new PartnersToProbe();
  private isEnding = false;

  constructor(
    private readonly database: Database,
    private readonly watch: ShareWatchRepository,
    private readonly places: ReceivedShares,
    readonly acceptance: ReceivedShareAcceptance,
    private readonly health: PartnerHealth,
    @Inject(REMOTE_FILES) private readonly files: RemoteFiles,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.logger = logger.child({ subsystem: 'share-watch' });
  }

  readonly random = { next: Math.random };

  readonly shares: WatchedShares<ClaimedProbe> = {
    claim: async (limits: RoundLimits) =>
      (await this.partners.search((search) => this.watch.claim(search, limits))).probes,
    leavePartner: async (peerId, untilMs) => {
      const inMs = await this.watch.leavePartner(peerId, untilMs);
      if (inMs !== null) this.partners.add(peerId, inMs);
    },
    finish: async (share, decision) =>
      void (await this.watch.finish(share, { ...decision, fileTarget: null })),
    takeBack: (share, decision, wished) => this.takeBack(share, decision, wished),
    announceFirstProbe: (share) => this.watch.announceFirstProbe(share),
    repeatAcceptance: (share) => this.watch.repeatAcceptance(share),
    noteDoubt: (share, doubt) => this.watch.noteDoubt(share, doubt),
  };

  readonly content: WatchedContent<ClaimedProbe, RemoteEntry> = {
    show: (share, path, depth) => this.show(share, path as NodePath, depth),
    confirm: (share) => this.asked(() => this.files.confirm(share, PROBE_MS).then(() => undefined)),
    describeOffer: ({ receivedShareId, name }, root) =>
      this.watch.noteOffered(receivedShareId, rootOf(root, name)),
    record: (share, path, depth, entries) =>
      recordProbe(this.database, share, path as NodePath, depth, entries),
    readFolders: ({ receivedShareId }, limit) => this.watch.listedFolders(receivedShareId, limit),
  };

  isWell(hostKey: string): Promise<boolean> {
    return this.health.isWell(hostKey);
  }

  isStopped(): boolean {
    return this.isEnding;
  }

  /** The next round looks at this partner. */
  expect(peerId: number): void {
    this.partners.add(peerId, 0);
  }

  /** Begins no more probes; running ones end soon. */
  stop(): void {
    this.isEnding = true;
  }

  onRefusal({ receivedShareId, hostKey }: ClaimedProbe): void {
    this.logger.info({ receivedShare: receivedShareId, partner: hostKey }, 'a share was refused');
  }

  onFailure(hostKey: string, error: unknown): void {
    this.logger.warn(
      { err: error, partner: hostKey },
      'the received shares of a partner could not be probed',
    );
  }

  private show(share: ClaimedProbe, path: NodePath, depth: 0 | 1): Promise<Showing<RemoteEntry>> {
    return this.asked(() => this.files.probe(share, path, depth, PROBE_MS));
  }

  /** @param ask returns the entries of a share with files */
  private async asked(ask: () => Promise<readonly RemoteEntry[] | undefined>): Promise<Showing<RemoteEntry>> {
    try {
      const entries = await ask();
      if (entries === undefined) return { kind: 'confirmed' };
      const [first, ...others] = entries;
      return first ? { kind: 'shown', entries: [first, ...others] } : { kind: 'unclear' };
    } catch (error) {
      if (!(error instanceof RemoteFailure)) throw error;
      if (error.code === 'denied' || error.code === 'missing') return { kind: 'refused' };
      return { kind: error.code === 'unreachable' ? 'away' : 'unclear' };
    }
  }

  private async takeBack(share: ClaimedProbe, decision: WatchDecision, wished: string): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const fileTarget = await this.places.freeTarget(transaction, share.recipientUid, wished, share.kind);
      await this.watch.finish(share, { ...decision, fileTarget }, transaction);
    });
  }
}
