import type { Readable } from 'node:stream';
import type { BlobStore, ByteRange } from '../blobs/blob-store';
import { Access, allows } from './access';
import { notFound } from './admission';
import { TreeFailure } from './tree-failure';
import type { VisibleNode } from './visible-node';

/** Reads what is in files. */
export class FileContents {
  constructor(private readonly blobs: BlobStore) {}

  /**
   * The content of a file.
   * @throws TreeFailure `is-folder`, or `not-found` where the user may not read
   * @throws BlobMissing when the store has lost it, or it was overwritten since the node was read
   */
  async read(node: VisibleNode, range?: ByteRange): Promise<Readable> {
    if (node.row.blobKey === null) throw new TreeFailure('is-folder', 'A folder has no content');
    if (!allows(node.permissions, Access.read)) throw notFound(node.path);
    return this.blobs.read(node.row.blobKey, range);
  }
}
