import type { Readable } from 'node:stream';
import type { PartnerTrouble } from '#persistence';
import type { ByteRange, DownloadPermit, NodePath } from '#sharing';

/** Nest's token of the process's RemoteFiles; processes that reach no partner do not provide it. */
export const REMOTE_FILES = Symbol('remote files');

/** The facts that reach the content of a share that a partner made for one of our users. */
export interface RemoteShare {
  readonly receivedShareId: number;
  readonly peerId: number;
  /** The partner's canonical host, as in the right half of a cloud id. */
  readonly hostKey: string;
  /** The dialect in which the share was offered. */
  readonly dialect: string;
  readonly providerId: string;
  readonly name: string;
  /** How the content is reached, as the offer said. */
  readonly access: Readonly<Record<string, unknown>>;
  readonly sealedSecret: Buffer;
  /** Trouble with the partner; absent where none is known. */
  readonly trouble?: PartnerTrouble | null;
}

/** An entry of a share as its partner describes it. */
export interface RemoteEntry {
  /** In the share: `''` for its root. */
  readonly path: NodePath;
  readonly kind: 'file' | 'folder';
  /** Bytes. */
  readonly size: number;
  readonly mtime: Date;
  /** Without quotes. */
  readonly etag: string;
  /** null where the partner does not say. */
  readonly mimetype: string | null;
  /** Share permissions; null where the partner does not say. */
  readonly permissions: number | null;
}

/** Content of a file as it comes from its partner. */
export interface RemoteContent {
  /** To be read to its end or destroyed. Fails with RemoteFailure when it ends early. */
  readonly body: Readable;
  /** Bytes of the whole file, whatever part of it comes. */
  readonly size: number;
  /** The part that comes; undefined when all of it does. */
  readonly range: ByteRange | undefined;
  readonly etag: string | null;
  readonly mtime: Date | null;
}

export interface RemoteWrite {
  /** Bytes that will come, where they were announced. */
  readonly size?: number;
  readonly mtime?: Date;
  /** The etag that the file must have at its partner's, without quotes; null when there must be none. */
  readonly expects?: string | null;
}

/**
 * The content of shares that partners made for our users, at their partners'. Nothing is kept here: the node tree has
 * what is known without a request.
 *
 * Every call is limited in time: `withinMs` for what is probed, the partner's silence for what is streamed.
 * Every call throws RemoteFailure.
 */
export interface RemoteFiles {
  /**
   * Whether the share's server is there, whatever of the share itself: nothing of it is asked for.
   * @throws RemoteFailure with another contact than `answered` where it is not
   */
  greet(share: RemoteShare, withinMs: number): Promise<void>;
  /** An entry and, with depth 1, what a folder holds directly; the entry itself comes first. */
  probe(share: RemoteShare, path: NodePath, depth: 0 | 1, withinMs?: number): Promise<readonly RemoteEntry[]>;
  /** @param leave from the rule for access to the node */
  read(
    share: RemoteShare,
    path: NodePath,
    range: ByteRange | undefined,
    leave: DownloadPermit,
  ): Promise<RemoteContent>;
  /** Writes a file as a whole. The partner decides whether it keeps the old content when `content` fails. */
  write(
    share: RemoteShare,
    path: NodePath,
    content: Readable,
    options?: RemoteWrite,
  ): Promise<{ readonly created: boolean; readonly etag: string | null }>;
  makeFolder(share: RemoteShare, path: NodePath): Promise<void>;
  remove(share: RemoteShare, path: NodePath): Promise<void>;
  /** Moves within the share. */
  move(share: RemoteShare, from: NodePath, to: NodePath, overwrite: boolean): Promise<void>;
}
