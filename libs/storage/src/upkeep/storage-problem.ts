/** Something about stored files that contradicts itself. */
export interface StorageProblem {
  readonly kind:
    /** A file whose content is gone: only a backup brings it back. */
    | 'missing-content'
    /** A file that is being sent, and a piece of it is gone: its sender has to begin again. */
    | 'missing-piece'
    /** A file that is being sent has other bytes than its pieces together. */
    | 'wrong-upload-bytes'
    /** Content that no file, version or unfinished upload refers to. */
    | 'orphaned-content'
    /** A node that does not lie where its parent says. */
    | 'misplaced'
    /** A node in the trash bin that its owner does not see there, or the other way round. */
    | 'lost-trash'
    /** A share that is hidden, and its node is not in the trash bin; or the other way round. */
    | 'wrongly-hidden'
    /** A folder whose size is not that of what is in it. */
    | 'wrong-size'
    /** A user's files and folders are not as many as their storage says. */
    | 'wrong-count'
    /** The versions of a user's files have other bytes than their storage says. */
    | 'wrong-version-bytes';
  /** Owner and path, or the key of content. */
  readonly subject: string;
  readonly detail: string;
  readonly repaired: boolean;
}
