import type { ShareUse, WatchDecision, WatchedShare } from '../received/share-watch';
import type { AcceptancePorts } from './acceptance';
import type { Randomness } from './randomness';

/** A received share whose server is probed now. Times are UNIX milliseconds by the clock of the store. */
export interface DueShare extends WatchedShare {
  readonly receivedShareId: number;
  readonly peerId: number;
  /** Canonical host of the partner. */
  readonly hostKey: string;
  readonly name: string;
  readonly recipientUid: string;
  /** Its present or last place in the recipient's tree; null if it never had one. */
  readonly fileTarget: string | null;
  /** ETag of its root at the last probe; null if it was never seen. */
  readonly etag: string | null;
  readonly use: ShareUse;
  /** How the content is accessed, from the offer. */
  readonly access: Readonly<Record<string, unknown>>;
  readonly nowMs: number;
}

/** An entry of a share as its server describes it. */
export interface ShownEntry {
  /** Path in the share: `''` for its root. */
  readonly path: string;
  readonly kind: 'file' | 'folder';
  readonly etag: string;
}

/**
 * Answer of a server that was asked for an entry of a share: `shown` with its children, `refused` (401, 403, 404),
 * `away`, or any other answer, which says nothing. `confirmed`: it still exchanges the secret of a share without files.
 */
export type Showing<Entry> =
  | { readonly kind: 'shown'; readonly entries: readonly [Entry, ...Entry[]] }
  | { readonly kind: 'confirmed' | 'refused' | 'away' | 'unclear' };

/** Limits of the work in one round. */
export interface RoundLimits {
  readonly partners: number;
  readonly sharesPerPartner: number;
  readonly leaseMs: number;
}

/** Received shares whose servers are probed regularly. */
export interface WatchedShares<Share extends DueShare> {
  /** Claims due shares. No other worker claims shares of the same partners until the lease ends. */
  claim(limits: RoundLimits): Promise<readonly Share[]>;
  /** Delays the probes of this partner's shares. @param untilMs UNIX milliseconds, by the clock of `nowMs` */
  leavePartner(peerId: number, untilMs: number): Promise<void>;
  /** Stores the result of a probe, unless the share was decided on in the meantime. */
  finish(share: Share, decision: WatchDecision): Promise<void>;
  /** The same for a lost share that is back: it gets the place `wished`, or the first free numbered path. */
  takeBack(share: Share, decision: WatchDecision, wished: string): Promise<void>;
  /** Wakes a recipient who waits for the first probe of an accepted share. */
  announceFirstProbe(share: Share): Promise<void>;
  /** Sends its acceptance to its server again if that was given up. */
  repeatAcceptance(share: Share): Promise<void>;
  /** @param doubt text that the notification of an offer shows; `''` for none */
  noteDoubt(share: Share, doubt: string): Promise<void>;
}

/** Content of received shares on their servers, and the stored copies of their listings. */
export interface WatchedContent<Share extends DueShare, Entry extends ShownEntry> {
  /** @param depth with 1, the entries of a folder follow the folder itself */
  show(share: Share, path: string, depth: 0 | 1): Promise<Showing<Entry>>;
  /** Asks the server of a share without files whether its secret is still valid. */
  confirm(share: Share): Promise<Showing<Entry>>;
  /** Stores the description of an offer from its server. */
  describeOffer(share: Share, root: Entry): Promise<void>;
  /** Stores the entries of an accepted share at a path. */
  record(share: Share, path: string, depth: 0 | 1, entries: readonly Entry[]): Promise<void>;
  /** Folders of the share that somebody read, the latest first. */
  readFolders(share: Share, limit: number): Promise<readonly ReadFolder[]>;
}

/** A folder that somebody read, with the ETag that its server sent then; null if it is not known. */
interface ReadFolder {
  readonly path: string;
  readonly partnerEtag: string | null;
}

/** Everything that the watch over received shares needs. */
export interface ShareWatchPorts<Share extends DueShare = DueShare, Entry extends ShownEntry = ShownEntry> {
  readonly shares: WatchedShares<Share>;
  readonly content: WatchedContent<Share, Entry>;
  readonly acceptance: AcceptancePorts;
  /** Discovers a partner now. @returns whether it describes itself as a partner */
  isWell(hostKey: string): Promise<boolean>;
  readonly random: Randomness;
  /** Whether the process is ending: then no more shares are checked. */
  isStopped(): boolean;
  /** Called when a server refused its share. */
  onRefusal(share: Share): void;
  /** Called when the shares of a partner could not be probed because of a failure of our own. */
  onFailure(hostKey: string, error: unknown): void;
}
