import { TreeFailure } from './tree-failure';

/** Maximum of entries that one request may copy: the entries are held in memory, and one transaction stores them. */
export const MAX_COPIED_ENTRIES = 20_000;

/** Why entries are copied, and what to do if there are too many. */
const TOO_MANY = {
  copy: `One request can copy ${MAX_COPIED_ENTRIES} entries at most; copy the folders below one by one`,
  'move out of a share': `One request can move ${MAX_COPIED_ENTRIES} entries out of a share at most, versions included, because a copy stays with the owner; move the folders below one by one`,
  'move between servers': `One request can move ${MAX_COPIED_ENTRIES} entries to or from another server at most; move the folders below one by one`,
} as const;

/** Counts the entries that one request copies. */
export class CopyAllowance {
  private left = MAX_COPIED_ENTRIES;

  constructor(private readonly purpose: keyof typeof TOO_MANY) {}

  /** @throws TreeFailure `too-many-entries` */
  take(entries: number): void {
    this.left -= entries;
    if (this.left < 0) throw new TreeFailure('too-many-entries', TOO_MANY[this.purpose]);
  }
}
