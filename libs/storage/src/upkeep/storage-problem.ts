/** A contradiction between the facts about stored files. */
export interface StorageProblem {
  readonly kind:
    /** A file without its content: only a backup can restore it. */
    | 'missing-content'
    /** An unfinished upload without one of its parts: its sender has to begin again. */
    | 'missing-piece'
    /** An unfinished upload with a wrong number of bytes. */
    | 'wrong-upload-bytes'
    /** A content without a file, version or unfinished upload. */
    | 'orphaned-content'
    /** A node whose place does not match its parent. */
    | 'misplaced'
    /** A node in the trash bin that its owner does not see there, or a visible one that is not there. */
    | 'lost-trash'
    /** A hidden share of a node outside of the trash bin, or a visible share of a node inside. */
    | 'wrongly-hidden'
    /** A folder whose size is not the sum of its entries. */
    | 'wrong-size'
    /** A storage with a wrong number of files and folders. */
    | 'wrong-count'
    /** A storage with a wrong number of bytes in versions. */
    | 'wrong-version-bytes';
  /** Owner and path, or the key of a content. */
  readonly subject: string;
  readonly detail: string;
  readonly repaired: boolean;
}
