import type { NodeRow, TrashedRow } from '#persistence';
import { TreeFailure } from '../tree/tree-failure';

/** A node in a user's trash bin, with its deletion. */
export interface TrashEntry {
  readonly row: NodeRow;
  /** Former path in the tree of its owner, without a leading slash. */
  readonly originalPath: string;
  /** Whether the node itself was deleted, rather than a folder above it. */
  readonly isTop: boolean;
  /** Name of the deleted node in Nextcloud's addresses: `notes.txt.d1700000000`. */
  readonly topAddress: string;
  /** Path below the deleted node: `''` or `/folder/name`. */
  readonly below: string;
  readonly deletedAt: Date;
  readonly deletedBy: {
    /** As in the audit log, or `visitor` of a link. */
    readonly kind: string;
    /** User id, or host of a partner. */
    readonly name: string | null;
    readonly displayName: string | null;
  };
}

export function trashEntry(row: TrashedRow): TrashEntry {
  const below = row.path.slice(`~${row.topId}`.length);
  return {
    row,
    originalPath: `${row.folderPath}/${row.topName}${below}`.slice(1),
    isTop: row.id === row.topId,
    topAddress: `${row.topName}.d${row.deletedAt.getTime() / 1000}`,
    below,
    deletedAt: row.deletedAt,
    deletedBy: { kind: row.actorKind, name: row.actor, displayName: row.actorDisplayName },
  };
}

/** The name and the second of a deletion in such an address; undefined for another text. */
export function readTopAddress(text: string): { readonly name: string; readonly second: number } | undefined {
  const [, name, second] = /^(.+)\.d(\d{1,11})$/s.exec(text) ?? [];
  return name !== undefined && second !== undefined ? { name, second: Number(second) } : undefined;
}

export const noSuchEntry = (): TreeFailure => new TreeFailure('not-found', 'The trash bin has no such entry');
