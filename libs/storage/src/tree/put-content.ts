import type { Queryable, UploadRow } from '#persistence';
import type { ChecksumAlgorithm, Digests } from '../blobs/content-digests';
import type { Condition } from './admission';
import { TreeFailure } from './tree-failure';
import type { NodePath } from './node-path';
import type { VisibleNode } from './visible-node';

/** Lower-case hexadecimal digest that a content must have. */
export interface PutChecksum {
  readonly algorithm: ChecksumAlgorithm;
  readonly digest: string;
}

export interface PutOptions {
  /** Bytes that will come, when they were announced. */
  readonly announcedSize?: number;
  /** When the client says the content was last changed; now when absent. */
  readonly mtime?: Date;
  readonly checksum?: PutChecksum;
  readonly condition?: Condition;
  /** Whether what stands there must still be what `condition` was asked about when the content is in. */
  readonly isConditional?: boolean;
  /** Give the file a numbered name where its own is taken: nothing is ever overwritten then. */
  readonly makesWay?: boolean;
  /** Make the folders that are missing above it. */
  readonly makesParents?: boolean;
  /**
   * Origin of the content, which decides whether it is scanned: the sender when absent, the server of a partner from which
   * it is fetched, or our own store.
   */
  readonly source?: 'sender' | 'partner' | 'stored';
  /** The upload whose pieces are the content: it ends when the file appears, at the same moment. */
  readonly upload?: Pick<UploadRow, 'id' | 'revision' | 'kind'>;
  /** Written in the transaction in which the file appears here; the file does not appear when it throws. */
  readonly along?: (transaction: Queryable, path: NodePath) => Promise<void>;
}

export interface PutResult {
  /** The file as it is now. */
  readonly node: VisibleNode;
  /** false when a file was overwritten. */
  readonly created: boolean;
}

/** Size and checksums of received content, to be compared with the announced ones. */
export interface ReceivedContent extends Digests {
  readonly size: number;
}

/** @throws TreeFailure `content-mismatch` when it is not what was announced */
export function assertAnnounced(
  content: ReceivedContent,
  options: Pick<PutOptions, 'announcedSize' | 'checksum'>,
): void {
  if (options.announcedSize !== undefined && options.announcedSize !== content.size) {
    throw new TreeFailure('content-mismatch', `Expected ${options.announcedSize} bytes, got ${content.size}`);
  }
  const wanted = options.checksum;
  if (wanted && content[wanted.algorithm] !== wanted.digest) {
    throw new TreeFailure(
      'content-mismatch',
      'The computed checksum does not match the one received from the client.',
    );
  }
}
