import { Inject, Injectable } from '@nestjs/common';
import { Database, ShareWatchRepository, type ClaimedProbe } from '#persistence';
import { afterProbe, type ProbeResult, type WatchDecision } from '#sharing';
import {
  ReceivedShares,
  recordProbe,
  REMOTE_FILES,
  RemoteFailure,
  ROOT,
  rootOf,
  type RemoteEntry,
  AutoAcceptance,
  type RemoteFiles,
} from '#storage';
import { FolderRefresh } from './folder-refresh';
import { PROBE_MS } from './probe-limits';

/** Result of a probe, and whether the partner answered at all. */
export interface ProbedShare {
  readonly result: ProbeResult;
  readonly isAway: boolean;
}

/** Probes at one received share, keeps what its server shows, and writes down what follows. */
@Injectable()
export class ProbeShare {
  constructor(
    private readonly database: Database,
    private readonly watch: ShareWatchRepository,
    private readonly places: ReceivedShares,
    private readonly folders: FolderRefresh,
    private readonly autoAcceptance: AutoAcceptance,
    @Inject(REMOTE_FILES) private readonly files: RemoteFiles,
  ) {}

  /** @param isPartnerWell asked only where that decides */
  async run(share: ClaimedProbe, isPartnerWell: () => Promise<boolean>): Promise<ProbedShare> {
    const probed = await this.probe(share, isPartnerWell);
    const { nowMs, recipientIsActive } = share;
    const chance = Math.random();
    const decision = afterProbe(share, probed.result, { nowMs, recipientIsActive, chance });
    await this.carryOut(share, decision);
    // Now it is known whose it is.
    if (share.state === 'pending' && probed.result === 'seen') await this.autoAcceptance.accept(share);
    return probed;
  }

  private async probe(share: ClaimedProbe, isPartnerWell: () => Promise<boolean>): Promise<ProbedShare> {
    try {
      const [root] = await this.files.probe(share, ROOT, 0, PROBE_MS);
      if (!root) return { result: 'silent', isAway: false };
      await this.keep(share, root);
      return { result: 'seen', isAway: false };
    } catch (error) {
      if (!(error instanceof RemoteFailure)) throw error;
      const isRefusal = error.code === 'denied' || error.code === 'missing';
      const counts = isRefusal && (share.state === 'pending' || (await isPartnerWell()));
      return { result: counts ? 'refused' : 'silent', isAway: error.code === 'unreachable' };
    }
  }

  /** The state of a lost share is refreshed when its server answers again. */
  private async keep(share: ClaimedProbe, root: RemoteEntry): Promise<void> {
    if (share.state === 'gone') return;
    if (share.state === 'pending')
      return this.watch.noteOffered(share.receivedShareId, rootOf(root, share.name));
    await recordProbe(this.database, share, ROOT, 0, [root]);
    if (root.etag !== share.etag) await this.folders.run(share);
  }

  private async carryOut(share: ClaimedProbe, decision: WatchDecision): Promise<void> {
    if (share.state === 'gone' && decision.state === 'accepted') return this.takeBack(share, decision);
    await this.watch.finish(share, { ...decision, fileTarget: null });
    if (share.state === 'accepted' && share.etag === null) await this.watch.announceFirstProbe(share);
    if (share.state === 'pending')
      await this.watch.noteDoubt(share, decision.verified ? '' : doubtAbout(share));
  }

  /** A lost share gets its old place again where that is still free. */
  private async takeBack(share: ClaimedProbe, decision: WatchDecision): Promise<void> {
    await this.database.transaction(async (transaction) => {
      const wished = share.fileTarget ?? `/${share.name}`;
      const fileTarget = await this.places.freeTarget(transaction, share.recipientUid, wished);
      await this.watch.finish(share, { ...decision, fileTarget }, transaction);
    });
  }
}

/** Told with the notification of an offer. */
const doubtAbout = ({ hostKey }: ClaimedProbe): string =>
  `The sender is not verified: ${hostKey} did not confirm this share.`;
