import type { ReceivedShare, ReceivedShareState } from '../domain/received-share';
import type { PolicySource } from './ports';

/** Effect of its recipient's decision on a received share. */
export interface ReceivedShareDecision {
  readonly state: Extract<ReceivedShareState, 'accepted' | 'declined'>;
  /** Folder of the recipient's tree in which an accepted share is to appear; `/` for the root. */
  readonly shareFolder: string;
  /** Words of a recipient who declines or leaves it, for its owner; null for none. */
  readonly reason: string | null;
}

/** Received shares. Expired shares are never returned; lists are oldest first. */
export interface ReceivedShareStore {
  list(recipientUid: string, states: readonly ReceivedShareState[]): Promise<ReceivedShare[]>;
  find(id: number, recipientUid: string): Promise<ReceivedShare | undefined>;
  /** Notes that the recipient was shown these pending shares; their servers hear of it once, where they can. */
  noteSeen(recipientUid: string, shares: readonly ReceivedShare[]): Promise<void>;
  /**
   * Changes one of the user's shares while no other caller does: state, a place without collision for an accepted one,
   * the notification and the message that tells its server are stored together.
   * @param decide undefined leaves everything as it is
   * @returns the share afterwards; undefined where the user has no such share or nothing was decided
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
