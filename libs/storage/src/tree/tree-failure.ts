/** Reason why an operation on the tree was refused; `webdav` and other edges map each to their own reply. */
export type TreeFailureCode =
  /** There is no visible node at the path. */
  | 'not-found'
  /** The folder that would hold the new entry is missing, or is a file. */
  | 'parent-missing'
  /** The entry exists and may not be replaced in this way. */
  | 'exists'
  /** A file was expected, and there is a folder. */
  | 'is-folder'
  /** Share permissions, or a rule of received shares, forbid it. */
  | 'forbidden'
  /** The shares show it, but do not allow reading its content. */
  | 'view-only'
  /** The shares open only for people with a second factor. */
  | 'second-factor-needed'
  /** The link opens only for people who are signed in. */
  | 'account-needed'
  /** The name is not allowed (separators, control characters, too long). */
  | 'name-refused'
  /** Settings forbid the name. */
  | 'name-blacklisted'
  | 'path-too-long'
  /** More entries than one request may copy. */
  | 'too-many-entries'
  /** The owner of the storage has no room for it. */
  | 'quota-exceeded'
  /** The owner of the storage has the maximum of files and folders per user. */
  | 'too-many-nodes'
  /** The sender has the maximum of unfinished uploads. */
  | 'too-many-uploads'
  /** A condition of the request (If-Match, Overwrite, ...) does not hold. */
  | 'precondition-failed'
  /** Source and destination are the same, or one lies inside the other. */
  | 'overlapping'
  /** The received bytes differ from the announced ones. */
  | 'content-mismatch'
  /** The scanner found something in the content. */
  | 'infected'
  /** The content is larger than the scanner's limit. */
  | 'unscannable'
  /** The scanner gives no verdict at the moment; it may work later. */
  | 'scanner-unavailable'
  /** Another request changed the same entries at the same time. */
  | 'changed-meanwhile'
  /** It is locked: here, or at the server of its partner. */
  | 'locked'
  /** The lock of the token does not cover the resource. */
  | 'lock-elsewhere'
  /** There is no lock (any more) to refresh or to end. */
  | 'no-such-lock'
  /** Its maker, the node or the storage has the maximum of locks. */
  | 'too-many-locks'
  /** It lies at a partner that gives no usable answer; it may work later. */
  | 'unavailable';

/** An expected failure; `message` is safe to show. */
export class TreeFailure extends Error {
  constructor(
    readonly code: TreeFailureCode,
    message: string,
    /** Pause before another attempt, if the failure is temporary. */
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
  }
}
