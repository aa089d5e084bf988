export { Access, allows } from './tree/access';
export {
  BlobMissing,
  BlobTooLarge,
  type BlobListing,
  type BlobStore,
  type ByteRange,
  type StoredBlob,
} from './blobs/blob-store';
export { blobDirectory, openBlobStore } from './blobs/open-blob-store';
export { BlobSweep, SAFE_AGE_MS, type SweepReport } from './blobs/blob-sweep';
export { DiskBlobStore } from './blobs/disk-blob-store';
export { BLACKLISTED_FILES, BLACKLISTED_FILES_REGEX } from './tree/blacklist';
export { FOLDER_MIMETYPE, mimetypeOf } from './tree/mimetype';
export { nameOf, parentOf, parsePath, pathOf, ROOT, type NodePath } from './tree/node-path';
export { numberedName } from './tree/numbered-name';
export { ReceivedShares } from './tree/received-shares';
export { StorageModule } from './storage.module';
export { storageOn } from './storage-on';
export { TreeModule } from './tree.module';
export { FileContents } from './tree/file-contents';
export { TreeCopier, type CopyOptions } from './tree/tree-copier';
export { TreeFailure, type TreeFailureCode } from './tree/tree-failure';
export { TreeMover, type MoveOptions, type MoveResult } from './tree/tree-mover';
export { TreeWriter, type PutOptions, type PutResult } from './tree/tree-writer';
export { NodeTree } from './tree/node-tree';
export { userView, type SharedNodeView, type TreeView } from './tree/tree-view';
export type { VisibleNode } from './tree/visible-node';
export { parseRange } from './webdav/byte-range';
export { DavFailure, type DavFailureCode } from './webdav/dav-failure';
export {
  parseChecksum,
  parseDestination,
  parseListingDepth,
  parseMtime,
  parseOverwrite,
  parseTreeDepth,
} from './webdav/dav-headers';
export { hrefOf, parseDavBase, pathBelow, type DavBase, type DavPath, type DavTree } from './webdav/dav-path';
export type { LinkProperties } from './webdav/live-properties';
export { writeDavError, writeMultistatus, type MultistatusEntry } from './webdav/multistatus';
export { NodeProperties, type PropertyView } from './webdav/node-properties';
export { judgePreconditions, rangeStillApplies, type ConditionalHeaders } from './webdav/preconditions';
export { parsePropfind } from './webdav/propfind-request';
export { parseProppatch } from './webdav/proppatch-request';
export { DirectoryImport, type ImportCounts, type ImportListener } from './upkeep/directory-import';
export { StorageCheck, type StorageProblem } from './upkeep/storage-check';
