import { DELETE } from './permissions';

/**
 * State of a share from another server for its recipient. `quarantined`: accepted, and its server refused it lately;
 * still listed. `declined` by the recipient or left by them, and `gone` by its owner's message or because its server
 * refused it for a day, are shown to nobody any more.
 */
export type ReceivedShareState = 'pending' | 'accepted' | 'declined' | 'gone' | 'quarantined';

/** `decline`: also of one that was accepted. `revoke`: the owner's server took it back. */
export type ReceivedShareEvent = 'accept' | 'decline' | 'revoke';

/** A share that an account of another server made for one of our users. */
export interface ReceivedShare {
  readonly id: number;
  /** Its server, such as `https://cloud.example.org`. */
  readonly remote: string;
  /** Its id there. */
  readonly providerId: string;
  readonly shareToken: string;
  /** One segment of a path. */
  readonly name: string;
  /** User id at its server. */
  readonly owner: string;
  /** Name of the owner, as their server sent it; empty for none. */
  readonly ownerDisplayName: string;
  /** Federated cloud id of the person who shared, and their name. */
  readonly sender: string;
  readonly senderDisplayName: string;
  /** Words of the sender; empty for none. */
  readonly description: string;
  /** Whether the offer is proven to be of its owner's server. */
  readonly verified: boolean;
  readonly recipientUid: string;
  readonly state: ReceivedShareState;
  /** Where the recipient sees it; null while it has no place. */
  readonly fileTarget: string | null;
  /** Node of its root in the recipient's tree; null while it has no place. */
  readonly rootId: number | null;
  /** null until its server said what it is. */
  readonly kind: 'file' | 'folder' | null;
  readonly permissions: number;
  /** End that its server named, UNIX seconds; null for none. */
  readonly expiresAtSeconds: number | null;
  /** Whether the recipient was shown it before. */
  readonly isSeen: boolean;
  readonly mimetype: string | null;
  /** UNIX seconds. */
  readonly mtimeSeconds: number;
  /** Since when its server does not show it; UNIX seconds, null when it did the last time. */
  readonly unreachableSinceSeconds: number | null;
}

/** States that the recipient has in lists and can still decide on. */
export const LISTED_STATES = ['pending', 'accepted', 'quarantined'] as const;
/** States that have a place in the recipient's tree. */
export const MOUNTED_STATES = ['accepted', 'quarantined'] as const;

/** Accepting again changes nothing; a share that ended stays ended, whatever is repeated. */
const NEXT: Readonly<
  Record<ReceivedShareState, Partial<Readonly<Record<ReceivedShareEvent, ReceivedShareState>>>>
> = {
  pending: { accept: 'accepted', decline: 'declined', revoke: 'gone' },
  accepted: { decline: 'declined', revoke: 'gone' },
  quarantined: { decline: 'declined', revoke: 'gone' },
  declined: { revoke: 'gone' },
  gone: {},
};

/** @returns undefined where the event means nothing any more */
export function receivedStateAfter(
  state: ReceivedShareState,
  event: ReceivedShareEvent,
): ReceivedShareState | undefined {
  return NEXT[state][event];
}

export function isMounted(share: Pick<ReceivedShare, 'state'>): boolean {
  return (MOUNTED_STATES as readonly ReceivedShareState[]).includes(share.state);
}

/** Permissions of the recipient on the mounted root: they may always remove it, which leaves the share. */
export function mountPermissions(share: Pick<ReceivedShare, 'permissions'>): number {
  return share.permissions | DELETE;
}

/**
 * Stand-ins for the mount points that pending shares do not have yet, as clients know them:
 * `{{TemporaryMountPointName#/name}}`, and `-1`, `-2` behind those whose name an older one has.
 * @param pending one user's pending shares, oldest first
 * @returns by id of the share
 */
export function temporaryMountPoints(
  pending: readonly Pick<ReceivedShare, 'id' | 'name'>[],
): ReadonlyMap<number, string> {
  const seen = new Map<string, number>();
  return new Map(
    pending.map(({ id, name }) => {
      const before = seen.get(name) ?? 0;
      seen.set(name, before + 1);
      return [id, `{{TemporaryMountPointName#/${name}}}${before === 0 ? '' : `-${before}`}`];
    }),
  );
}
