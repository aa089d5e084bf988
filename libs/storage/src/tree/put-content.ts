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
  /** Announced size in bytes, if there is one. */
  readonly announcedSize?: number;
  /** Time of the last change, from the client; default: now. */
  readonly mtime?: Date;
  readonly checksum?: PutChecksum;
  readonly condition?: Condition;
  /** Whether `condition` is checked again for the existing node after the content has arrived. */
  readonly isConditional?: boolean;
  /** Gives the file a numbered name if its own is taken: then nothing is ever overwritten. */
  readonly makesWay?: boolean;
  /** Makes the missing folders above it. */
  readonly makesParents?: boolean;
  /**
   * Origin of the content, which decides whether it is scanned: the sender (default), the server of a partner from which
   * it is fetched, or our own store.
   */
  readonly source?: 'sender' | 'partner' | 'stored';
  /** Whether a partner has to have it when the call ends. Otherwise it may wait here for the partner. */
  readonly isSentAtOnce?: boolean;
  /** The upload whose parts are the content. It ends in the transaction in which the file appears. */
  readonly upload?: Pick<UploadRow, 'id' | 'revision' | 'kind'>;
  /** Runs in the transaction in which the file appears. If it throws, the file does not appear. */
  readonly along?: (transaction: Queryable, path: NodePath) => Promise<void>;
}

export interface PutResult {
  /** The new state of the file. */
  readonly node: VisibleNode;
  /** false if a file was overwritten. */
  readonly created: boolean;
}

/** Size and checksums of received content, for comparison with the announced ones. */
export interface ReceivedContent extends Digests {
  readonly size: number;
}

/** @throws TreeFailure `content-mismatch` if they differ from the announced ones */
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
