export { BlobMissing, BlobTooLarge, type BlobStore, type ByteRange } from './blobs/blob-store';
export { blobDirectory, openBlobStore } from './blobs/open-blob-store';
export { BlobSweep, SAFE_AGE_MS } from './blobs/blob-sweep';
export { DiskBlobStore } from './blobs/disk-blob-store';
export { accessThrough, LinkAccess, LinkUnavailable, viewOf, type FoundLink } from './links/link-access';
export { LinkSignatures } from './links/link-signatures';
export { FOLDER_MIMETYPE, mimetypeOf } from './tree/mimetype';
export { nameOf, parentOf, parseName, parsePath, pathOf, ROOT, type NodePath } from './tree/node-path';
export { ReceivedShares } from './tree/received-shares';
export { StorageModule } from './storage.module';
export { storageOn } from './storage-on';
export { TreeModule } from './tree.module';
export { admitDownload } from './tree/admission';
export { FileContents, type OpenedContent } from './tree/file-contents';
export { ReceivedShareAcceptance } from './remote/received-share-acceptance';
export { AwaitedOffers } from './remote/awaited-offers';
export { AutoAcceptance } from './remote/auto-acceptance';
export { ReceivedShareDecisions } from './remote/received-share-decisions';
export { recordProbe, rootOf } from './remote/remote-record';
export { TrashBin } from './trash/trash-bin';
export type { TrashEntry } from './trash/trash-entry';
export { TreeCopier } from './tree/tree-copier';
export { TreeFailure, type TreeFailureCode } from './tree/tree-failure';
export type { MoveResult } from './tree/transfer-options';
export { TreeMover } from './tree/tree-mover';
export { TreeWriter } from './tree/tree-writer';
export { WholeTree } from './tree/whole-tree';
export { NodeTree } from './tree/node-tree';
export { userView, type SharedNodeView, type TreeView } from './tree/tree-view';
export type { VisibleNode } from './tree/visible-node';
export { parseRange } from './webdav/byte-range';
export { listDirectory } from './webdav/dav-directory';
export { DavFailure, type DavFailureCode } from './webdav/dav-failure';
export {
  parseChecksum,
  parseDestination,
  parseDestinationPath,
  parseListingDepth,
  parseMtime,
  parseOverwrite,
  parseSize,
  parseTreeDepth,
} from './webdav/dav-headers';
export {
  decodeSegment,
  hrefOf,
  isSameTree,
  parseDavBase,
  parseDavPath,
  pathBelow,
  type DavBase,
  type DavTree,
} from './webdav/dav-path';
export { parseTrashAddress, type TrashAddress } from './trash/trash-address';
export { trashEntries } from './trash/trash-properties';
export type { LinkProperties } from './webdav/live-properties';
export { writeDavError, writeMultistatus, type MultistatusEntry } from './webdav/multistatus';
export { permissionLetters } from './webdav/permission-letters';
export { NodeProperties, type PropertyView } from './webdav/node-properties';
export { judgePreconditions, rangeStillApplies, type ConditionalHeaders } from './webdav/preconditions';
export { parsePropfind, type PropfindRequest } from './webdav/propfind-request';
export { DAV, propertyKey, type PropertyKey } from './webdav/property-name';
export { UnfinishedUploads, type UnfinishedUpload } from './uploads/unfinished-uploads';
export { grow } from './uploads/growing-upload';
export type { PutChecksum, PutOptions, PutResult } from './tree/put-content';
export { parseSearch, type SearchRequest } from './webdav/search-request';
export { parseProppatch } from './webdav/proppatch-request';
export { StorageCheck } from './upkeep/storage-check';
export { DirectoryImport, isFull, type ImportCounts, type ImportListener } from './upkeep/directory-import';
export {
  REMOTE_FILES,
  type RemoteContent,
  type RemoteEntry,
  type RemoteFiles,
  type RemoteShare,
  type RemoteWrite,
} from './remote/remote-files';
export { GatedFiles } from './remote/gated-files';
export { RemoteFailure, type Contact, type RemoteFailureCode } from './remote/remote-failure';
