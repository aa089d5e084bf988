import type { VisibleNode } from '#storage';

/** State that the conditional headers of a request are compared with. */
export function currentOf(node: VisibleNode): { etag: string; mtime: Date } {
  return { etag: node.etag, mtime: node.row.mtime };
}
