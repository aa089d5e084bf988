import { TreeFailure } from './tree-failure';

/** Maximum of entries that one request may copy: the entries are held in memory, and one transaction stores them. */
export const MAX_COPIED_ENTRIES = 20_000;

/** Counts the entries that one request copies. */
export class CopyAllowance {
  private left = MAX_COPIED_ENTRIES;

  /** @throws TreeFailure `too-many-entries` */
  take(entries: number): void {
    this.left -= entries;
    if (this.left < 0)
      throw new TreeFailure(
        'too-many-entries',
        `One request can copy ${MAX_COPIED_ENTRIES} entries at most; copy the folders below one by one`,
      );
  }
}
