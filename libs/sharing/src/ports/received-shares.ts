import type { ReceivedShare, ReceivedShareState } from '../domain/received-share';
import type { PolicySource } from './ports';

/** Effect of the recipient's decision on a received share. */
export interface ReceivedShareDecision {
  readonly state: Extract<ReceivedShareState, 'accepted' | 'declined'>;
  /** Folder of the recipient's tree in which an accepted share appears; `/` for the root. */
  readonly shareFolder: string;
  /** Text for the owner from a recipient who declines or leaves the share; null for none. */
  readonly reason: string | null;
}

/** Received shares. Expired shares are never returned; lists are oldest first. */
export interface ReceivedShareStore {
  list(recipientUid: string, states: readonly ReceivedShareState[]): Promise<ReceivedShare[]>;
  find(id: number, recipientUid: string): Promise<ReceivedShare | undefined>;
  /** Notes that the recipient has seen these pending shares. Their servers get one message about it, if they support that. */
  noteSeen(recipientUid: string, shares: readonly ReceivedShare[]): Promise<void>;
  /**
   * Changes one of the user's shares under a lock. The state, a free place for an accepted share,
   * the notification and the message to its server are stored together.
   * @param decide undefined leaves everything as it is
   * @returns the share afterwards; undefined if the user has no such share or nothing was decided
   */
  decide(
    id: number,
    recipientUid: string,
    decide: (share: ReceivedShare) => ReceivedShareDecision | undefined,
  ): Promise<ReceivedShare | undefined>;
}

export interface ReceivedSharePorts {
  readonly received: ReceivedShareStore;
  readonly policy: PolicySource;
}
