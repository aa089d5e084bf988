/** Why an operation on the tree was refused; `webdav` and other edges map each to a reply of their own. */
export type TreeFailureCode =
  /** Nothing visible stands at the path. */
  | 'not-found'
  /** The folder that would hold the new entry is missing, or is a file. */
  | 'parent-missing'
  /** The entry exists and may not be replaced in this way. */
  | 'exists'
  /** A file was wanted and a folder stands there. */
  | 'is-folder'
  /** Share permissions, or a rule of received shares, forbid it. */
  | 'forbidden'
  /** Shares show it, and forbid to hand out its content. */
  | 'view-only'
  /** Shares open it to somebody with a second factor only. */
  | 'second-factor-needed'
  /** A link opens it to people who are signed in only. */
  | 'account-needed'
  /** The name may not be used (separators, control characters, too long). */
  | 'name-refused'
  /** Settings forbid the name. */
  | 'name-blacklisted'
  | 'path-too-long'
  /** More entries than one request may copy. */
  | 'too-many-entries'
  /** The owner of the storage has no room for it. */
  | 'quota-exceeded'
  /** The owner of the storage has as many files and folders as one user may have. */
  | 'too-many-nodes'
  /** The sender has as many unfinished uploads as one may have. */
  | 'too-many-uploads'
  /** A condition of the request (If-Match, Overwrite, ...) does not hold. */
  | 'precondition-failed'
  /** Source and destination are one another, or one lies inside the other. */
  | 'overlapping'
  /** The bytes that came are not those that were announced. */
  | 'content-mismatch'
  /** The scanner found something in the content. */
  | 'infected'
  /** The content is larger than what the scanner checks. */
  | 'unscannable'
  /** The scanner gives no verdict at the moment; it may work later. */
  | 'scanner-unavailable'
  /** Somebody else changed the same entries at the same moment. */
  | 'changed-meanwhile'
  /** Somebody has locked it: here, or at the server of the partner where it lies. */
  | 'locked'
  /** A lock token is of no lock that holds for the resource. */
  | 'lock-elsewhere'
  /** There is no lock (any more) to refresh or to end. */
  | 'no-such-lock'
  /** Its maker, the node or the storage has as many locks as there may be. */
  | 'too-many-locks'
  /** It lies at a partner's who gives no answer that counts; it may work later. */
  | 'unavailable';

/** An expected failure; `message` is safe to show. */
export class TreeFailure extends Error {
  constructor(
    readonly code: TreeFailureCode,
    message: string,
    /** When to ask again, where the failure will pass. */
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
  }
}
