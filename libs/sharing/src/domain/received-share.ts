import { DELETE } from './permissions';

/**
 * State of a share from another server for its recipient. `quarantined`: accepted, but its server refused it lately;
 * still listed. `declined`: the recipient declined or left it. `gone`: its owner ended it, or its server
 * refused it for a day. Declined and gone shares are no longer shown.
 */
export type ReceivedShareState = 'pending' | 'accepted' | 'declined' | 'gone' | 'quarantined';

/** `decline`: also for an accepted share. `revoke`: the owner's server withdrew the share. */
export type ReceivedShareEvent = 'accept' | 'decline' | 'revoke';

/** A share that an account of another server made for one of our users. */
export interface ReceivedShare {
  readonly id: number;
  /** Address of its server, such as `https://cloud.example.org`. */
  readonly remote: string;
  /** Its id at its server. */
  readonly providerId: string;
  readonly shareToken: string;
  /** Its name: one segment of a path. */
  readonly name: string;
  /** User id at its server. */
  readonly owner: string;
  /** Display name of the owner, as their server sent it; empty for none. */
  readonly ownerDisplayName: string;
  /** Federated cloud id of the person who shared it, and their display name. */
  readonly sender: string;
  readonly senderDisplayName: string;
  /** Words of the sender; empty for none. */
  readonly description: string;
  /** Whether the owner's server is proven to have sent the offer. */
  readonly verified: boolean;
  readonly recipientUid: string;
  readonly state: ReceivedShareState;
  /** Its place in the recipient's tree; null if it has none. */
  readonly fileTarget: string | null;
  /** Root node in the recipient's tree; null while the share has no place. */
  readonly rootId: number | null;
  /** null until its server says which it is. */
  readonly kind: 'file' | 'folder' | null;
  readonly permissions: number;
  /** Expiry that its server named, in UNIX seconds; null for none. */
  readonly expiresAtSeconds: number | null;
  /** Whether the recipient has seen it in a list. */
  readonly isSeen: boolean;
  readonly mimetype: string | null;
  /** UNIX seconds. */
  readonly mtimeSeconds: number;
  /** Start of the time in which its server does not show it, in UNIX seconds; null when the last request succeeded. */
  readonly unreachableSinceSeconds: number | null;
  /** Whether it has content by WebDAV; otherwise it has no place in the tree, and is opened at its server. */
  readonly hasFiles: boolean;
  /** The web application at its server that shows it; null for none. */
  readonly webapp: ReceivedWebapp | null;
}

/** A web application at another server, in OCM's words. */
interface ReceivedWebapp {
  /** Empty for none. */
  readonly appName: string;
  /** `view`, `read`, `write` or `share`. */
  readonly permissions: readonly string[];
}

/** States that are listed, and about which the recipient can still decide. */
export const LISTED_STATES = ['pending', 'accepted', 'quarantined'] as const;
/** States with a place in the recipient's tree. */
export const MOUNTED_STATES = ['accepted', 'quarantined'] as const;

/** Accepting twice changes nothing. A share that ended stays ended, even if a message is repeated. */
const NEXT: Readonly<
  Record<ReceivedShareState, Partial<Readonly<Record<ReceivedShareEvent, ReceivedShareState>>>>
> = {
  pending: { accept: 'accepted', decline: 'declined', revoke: 'gone' },
  accepted: { decline: 'declined', revoke: 'gone' },
  quarantined: { decline: 'declined', revoke: 'gone' },
  declined: { revoke: 'gone' },
  gone: {},
};

/** @returns undefined where the event no longer has an effect */
export function receivedStateAfter(
  state: ReceivedShareState,
  event: ReceivedShareEvent,
): ReceivedShareState | undefined {
  return NEXT[state][event];
}

export function isMounted(share: Pick<ReceivedShare, 'state'>): boolean {
  return (MOUNTED_STATES as readonly ReceivedShareState[]).includes(share.state);
}

/** Permissions of the recipient on the mounted root. They may always remove it, which leaves the share. */
export function mountPermissions(share: Pick<ReceivedShare, 'permissions'>): number {
  return share.permissions | DELETE;
}

/**
 * Placeholders for mount points, as clients know them; pending shares have no mount point yet:
 * `{{TemporaryMountPointName#/name}}`, followed by `-1`, `-2` if an older share has the same name.
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
