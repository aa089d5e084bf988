export { ArchivedTrees, type ArchivedTree } from './archives/archived-tree';
export { tarArchive } from './archives/tar-archive';
export { zipArchive } from './archives/zip-archive';
export { BlobMissing, BlobStoreFull, BlobTooLarge, type BlobStore, type ByteRange } from './blobs/blob-store';
export { CHECKSUM_ALGORITHMS } from './blobs/content-digests';
export { blobDirectory, openBlobStore } from './blobs/open-blob-store';
export { BlobSweep, SAFE_AGE_MS } from './blobs/blob-sweep';
export { DiskBlobStore } from './blobs/disk-blob-store';
export { HeldContent } from './blobs/held-content';
export {
  accessThrough,
  isForAccounts,
  LinkAccess,
  LinkUnavailable,
  viewOf,
  type FoundLink,
} from './links/link-access';
export { LinkSignatures, type LinkSignature } from './links/link-signatures';
export { mimetypeOf } from './tree/mimetype';
export {
  childOf,
  nameOf,
  parentOf,
  parseName,
  parsePath,
  pathOf,
  ROOT,
  type NodePath,
} from './tree/node-path';
export { ReceivedShares } from './tree/received-shares';
export { StorageModule } from './storage.module';
export { storageOn } from './storage-on';
export { TreeModule } from './tree.module';
export { admitDownload } from './tree/admission';
export { Locked } from './locks/locked';
export { tokenAddress, tokenOf } from './locks/lock-token';
export { NodeLocks, type LockBreaking } from './locks/node-locks';
export { RequestConditions, type StateConditions } from './locks/request-conditions';
export { FileContents, type OpenedContent } from './tree/file-contents';
export { ReceivedShareAcceptance } from './tree/received-share-acceptance';
export { recordProbe, rootOf } from './mounted/remote-record';
export { CachedContents } from './mounted/cached-contents';
export { WriteDelivery, type ClaimedWrite } from './mounted/write-delivery';
export { TrashBin } from './trash/trash-bin';
export type { TrashEntry } from './trash/trash-entry';
export { TreeCopier } from './tree/tree-copier';
export { TreeFailure, type TreeFailureCode } from './tree/tree-failure';
export type { MoveResult } from './tree/transfer-options';
export { TreeMover } from './tree/tree-mover';
export { TreeWriter } from './tree/tree-writer';
export { UnfinishedCopies } from './mounted/unfinished-copies';
export { WholeTree } from './tree/whole-tree';
export { NodeTree } from './tree/node-tree';
export { userView, type SharedNodeView, type TreeView, type UserView } from './tree/tree-view';
export type { VisibleNode } from './tree/visible-node';
export { parseRange, parseRanges, RangeNotSatisfiable } from './webdav/byte-range';
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
  type DavPath,
  type DavTree,
} from './webdav/dav-path';
export { parseTrashAddress, type TrashAddress } from './trash/trash-address';
export { trashEntries } from './trash/trash-properties';
export { parseIf, submittedTokens, wantedEtags } from './webdav/if-header';
export { LOCK_DISCOVERY, USER_LOCK_PROPERTIES } from './webdav/lock-properties';
export { parseLockInfo, parseLockTimeout, parseLockToken } from './webdav/lock-request';
export { FileVersions } from './versions/file-versions';
export { parseVersionAddress, restoreTargetOf, type VersionAddress } from './versions/version-address';
export { VERSION_LABEL, versionEntries, type ShownVersion } from './versions/version-properties';
export { isSameUser } from './webdav/same-user';
export type { LinkProperties } from './webdav/live-properties';
export {
  INVALID_PATH,
  propStatOf,
  writeDavError,
  writeMultistatus,
  writeMultistatusInParts,
  writeProperties,
  writeRefusals,
  type FailedCondition,
  type MultistatusEntry,
} from './webdav/multistatus';
export { ChosenProperties } from './webdav/chosen-properties';
export { NodeProperties, type PropertyView } from './webdav/node-properties';
export { judgePreconditions, rangeStillApplies, type ConditionalHeaders } from './webdav/preconditions';
export { parsePropfind, type PropfindRequest } from './webdav/propfind-request';
export { DAV, propertyKey, type PropertyKey } from './webdav/property-name';
export { UnfinishedUploads, type UnfinishedUpload } from './uploads/unfinished-uploads';
export { grow } from './uploads/growing-upload';
export type { PutChecksum, PutOptions, PutResult } from './tree/put-content';
export { parseSearch, type SearchRequest } from './webdav/search-request';
export { parseSyncToken } from './webdav/sync-request';
export { escapeXml } from './webdav/xml-text';
export { FAVORITE } from './webdav/live-properties';
export { parseProppatch, type PropertyChange } from './webdav/proppatch-request';
export { Quarantine } from './scanning/quarantine';
export { StorageCheck } from './upkeep/storage-check';
export type { StorageProblem } from './upkeep/storage-problem';
export { UploadCheck } from './upkeep/upload-check';
export { DirectoryImport, isFull, type ImportCounts, type ImportListener } from './upkeep/directory-import';
