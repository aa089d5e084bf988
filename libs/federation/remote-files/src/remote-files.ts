import type { Readable } from 'node:stream';
import type { WebappEntry } from '#federation/exchange';
import type { PartnerTrouble } from '#persistence';
import type { ByteRange, DownloadPermit, NodePath } from '#sharing';

/** Nest's token of RemoteFiles. Processes that contact no partner do not provide it. */
export const REMOTE_FILES = Symbol('remote files');

/** The facts that are needed to access the content of a share from a partner. */
export interface RemoteShare {
  readonly receivedShareId: number;
  readonly peerId: number;
  /** The partner's canonical host, as in the right half of a cloud id. */
  readonly hostKey: string;
  /** The dialect in which the share was offered. */
  readonly dialect: string;
  readonly providerId: string;
  readonly name: string;
  /** How the content is accessed, from the offer. */
  readonly access: Readonly<Record<string, unknown>>;
  readonly sealedSecret: Buffer;
  /** Known trouble with the partner; absent if there is none. */
  readonly trouble?: PartnerTrouble | null;
}

/** An entry of a share as its partner describes it. */
export interface RemoteEntry {
  /** Path in the share: `''` for its root. */
  readonly path: NodePath;
  readonly kind: 'file' | 'folder';
  /** In bytes. */
  readonly size: number;
  readonly mtime: Date;
  /** Without quotes. */
  readonly etag: string;
  /** null if the partner does not send it. */
  readonly mimetype: string | null;
  /** Share permissions; null if the partner does not send them. */
  readonly permissions: number | null;
}

/** Content of a file, streamed from its partner. */
export interface RemoteContent {
  /** Has to be read to its end or destroyed. Fails with RemoteFailure if it ends early. */
  readonly body: Readable;
  /** Size of the whole file in bytes, even if only a part is sent. */
  readonly size: number;
  /** The part that is sent; undefined for the whole file. */
  readonly range: ByteRange | undefined;
  readonly etag: string | null;
  readonly mtime: Date | null;
  /** Whether the file was changed in the second of the answer: its next change may get the same ETag. Absent for no. */
  readonly mayChangeUnseen?: boolean;
}

export interface RemoteWrite {
  /** Announced number of bytes, if there is one. */
  readonly size?: number;
  readonly mtime?: Date;
  /** The etag that the partner's file must have, without quotes; null if there must be no file. */
  readonly expects?: string | null;
}

/** Page of a web application that shows a share. */
export interface RemotePage {
  readonly uri: string;
  /** null for the secret of the share's content. */
  readonly sealedSecret: Buffer | null;
}

/**
 * Content of shares that partners made for our users, on the partners' servers. Nothing is stored here: the node tree holds
 * everything that is known without a request.
 *
 * Every call is limited in time: `withinMs` for probes, the partner's silence for streams.
 * Every call throws RemoteFailure.
 */
export interface RemoteFiles {
  /**
   * Asks whether the share's server is there, without asking for the share.
   * @throws RemoteFailure with another contact than `answered` if it is not
   */
  greet(share: RemoteShare, withinMs: number): Promise<void>;
  /** Whether the share's server still exchanges its secret: for shares without files. */
  confirm(share: RemoteShare, withinMs: number): Promise<void>;
  /** Exchanges the secret of a web application, whose page has to be at the partner or at one of `hosts`. */
  enterWebapp(share: RemoteShare, page: RemotePage, hosts: readonly string[]): Promise<WebappEntry>;
  /** An entry and, with depth 1, the direct children of a folder. The entry itself comes first. */
  probe(share: RemoteShare, path: NodePath, depth: 0 | 1, withinMs?: number): Promise<readonly RemoteEntry[]>;
  /** @param leave the permit from the rule for access to the node */
  read(
    share: RemoteShare,
    path: NodePath,
    range: ByteRange | undefined,
    leave: DownloadPermit,
  ): Promise<RemoteContent>;
  /**
   * The same, with a condition: one request, without content when the file still has this ETag.
   * @param etag without quotes
   */
  readIfChanged(
    share: RemoteShare,
    path: NodePath,
    etag: string,
    range: ByteRange | undefined,
    leave: DownloadPermit,
  ): Promise<RemoteContent | 'unchanged'>;
  /** Writes a whole file. The partner decides whether it keeps the old content when `content` fails. */
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
