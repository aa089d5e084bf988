import type { ShareUse, WatchDecision, WatchedShare } from '../received/share-watch';
import type { AcceptancePorts } from './acceptance';
import type { Randomness } from './randomness';

/** A received share whose server is probed now. Times are UNIX milliseconds of the store's clock. */
export interface DueShare extends WatchedShare {
  readonly receivedShareId: number;
  readonly peerId: number;
  /** Canonical host of the partner. */
  readonly hostKey: string;
  readonly name: string;
  readonly recipientUid: string;
  /** Where its recipient sees it, or saw it last; null while it never had a place. */
  readonly fileTarget: string | null;
  /** ETag of its root the last time; null where it was never seen. */
  readonly etag: string | null;
  readonly use: ShareUse;
  readonly nowMs: number;
}

/** An entry of a share as its server describes it. */
export interface ShownEntry {
  /** In the share: `''` for its root. */
  readonly path: string;
  readonly kind: 'file' | 'folder';
  readonly etag: string;
}

/**
 * Answer of a server that was asked for an entry of a share: it `shown` it, and what it holds; it `refused` it (401, 403, 404);
 * it was `away`; or anything else, which says nothing.
 */
export type Showing<Entry> =
  | { readonly kind: 'shown'; readonly entries: readonly [Entry, ...Entry[]] }
  | { readonly kind: 'refused' | 'away' | 'unclear' };

/** How much of what is due one round takes. */
export interface RoundLimits {
  readonly partners: number;
  readonly sharesPerPartner: number;
  readonly leaseMs: number;
}

/** Received shares, as far as their servers are probed again and again. */
export interface WatchedShares<Share extends DueShare> {
  /** Claims shares that are due, longest due first; no other worker claims any of the same partners until the lease ends. */
  claim(limits: RoundLimits): Promise<readonly Share[]>;
  /** Holds back the probes of this partner's shares for so long. */
  leavePartner(peerId: number, forMs: number): Promise<void>;
  /** Writes down what a probe came to, unless the share was decided on meanwhile. */
  finish(share: Share, decision: WatchDecision): Promise<void>;
  /** The same for a lost share that is back: it stands at `wished`, or at the first numbered path that is free. */
  takeBack(share: Share, decision: WatchDecision, wished: string): Promise<void>;
  /** A recipient may wait for what the first probe of an accepted share came to. */
  announceFirstProbe(share: Share): Promise<void>;
  /** @param doubt told with the notification of an offer; `''` for nothing */
  noteDoubt(share: Share, doubt: string): Promise<void>;
}

/** Content of received shares at their servers, and what is kept of it. */
export interface WatchedContent<Share extends DueShare, Entry extends ShownEntry> {
  /** @param depth with 1, what a folder holds is shown behind the folder itself */
  show(share: Share, path: string, depth: 0 | 1): Promise<Showing<Entry>>;
  /** Keeps an offer as its server describes it. */
  describeOffer(share: Share, root: Entry): Promise<void>;
  /** Keeps what an accepted share shows at a path. */
  record(share: Share, path: string, depth: 0 | 1, entries: readonly Entry[]): Promise<void>;
  /** Folders of the share that somebody read, latest first. */
  readFolders(share: Share, limit: number): Promise<readonly ReadFolder[]>;
}

/** A folder that somebody read, with the ETag that its server gave it then; null where that is not known. */
interface ReadFolder {
  readonly path: string;
  readonly partnerEtag: string | null;
}

/** Everything that received shares are looked after with. */
export interface ShareWatchPorts<Share extends DueShare = DueShare, Entry extends ShownEntry = ShownEntry> {
  readonly shares: WatchedShares<Share>;
  readonly content: WatchedContent<Share, Entry>;
  readonly acceptance: AcceptancePorts;
  /** Asks a partner what it is: whether it describes itself as a partner now. */
  isWell(hostKey: string): Promise<boolean>;
  readonly random: Randomness;
  /** Whether the process ends: no more shares are checked then. */
  isStopped(): boolean;
  /** A share was refused by its server. */
  onRefusal(share: Share): void;
  /** The shares of a partner could not be probed, for a failure of our own. */
  onFailure(hostKey: string, error: unknown): void;
}
