import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import { lstat, open, opendir } from 'node:fs/promises';
import type { NodeTree } from '../tree/node-tree';
import { ancestorsOf, parseName, parsePath, ROOT, type NodePath } from '../tree/node-path';
import { TreeFailure } from '../tree/tree-failure';
import type { TreeView } from '../tree/tree-view';
import type { TreeWriter } from '../tree/tree-writer';
import type { VisibleNode } from '../tree/visible-node';

/** A file that was replaced by a link or a pipe is neither followed nor waited for. */
const READ_FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Progress of an import. */
export interface ImportCounts {
  /** Number of new files, and of files that replaced another state. */
  imported: number;
  replaced: number;
  /** Number of files that were already there, with the same size and time. */
  unchanged: number;
  folders: number;
  bytes: number;
  /** Number of entries that could not be imported; each was reported to the listener. */
  leftOut: number;
}

/** Gets the progress of an import. */
export interface ImportListener {
  progress(counts: Readonly<ImportCounts>): void;
  /** @param location on this machine; bytes that are not UTF-8 are shown as U+FFFD */
  leftOut(location: string, reason: string): void;
}

/** Imports a directory of this machine into the tree of a user. A second run continues where the first one ended. */
export class DirectoryImport {
  private readonly counts: ImportCounts = {
    imported: 0,
    replaced: 0,
    unchanged: 0,
    folders: 0,
    bytes: 0,
    leftOut: 0,
  };

  constructor(
    private readonly tree: NodeTree,
    private readonly writer: TreeWriter,
    private readonly view: TreeView,
    private readonly listener: ImportListener,
  ) {}

  /**
   * Imports everything below `directory` into `target`, which is made if it is missing. Links are not followed,
   * and nothing is written into received shares: both are reported, and so are invalid names.
   * @throws TreeFailure `quota-exceeded`, `too-many-nodes`, or if `target` cannot be a folder of the user's own
   */
  async run(directory: string, target: NodePath): Promise<Readonly<ImportCounts>> {
    const spelled = await this.tree.spell(this.view, target);
    for (const folder of [...ancestorsOf(spelled), spelled]) {
      const reason = await this.openFolder(folder);
      if (reason !== undefined) throw new TreeFailure('exists', `${folder}: ${reason}`);
    }
    await this.importEntries(Buffer.from(directory), spelled);
    return this.counts;
  }

  private async importEntries(directory: Buffer, path: NodePath): Promise<void> {
    // Names are read as bytes, because a name that is not UTF-8 would come back changed.
    const entries = await reading(opendir(directory, { encoding: 'buffer' as BufferEncoding }));
    for await (const entry of entries) {
      const name = entry.name as unknown as Buffer;
      await this.importEntry(Buffer.concat([directory, Buffer.from('/'), name]), name, path);
      this.listener.progress(this.counts);
    }
  }

  private async importEntry(location: Buffer, rawName: Buffer, folder: NodePath): Promise<void> {
    try {
      if (!isUtf8(rawName)) return this.leaveOut(location, 'its name is not UTF-8');
      const asked = parsePath(`${folder}/${parseName(rawName.toString())}`);
      const path = await this.tree.spell(this.view, asked);
      const found = await reading(lstat(location));
      if (found.isDirectory()) {
        const reason = await this.openFolder(path);
        if (reason !== undefined) return this.leaveOut(location, reason);
        await this.importEntries(location, path);
      } else if (found.isFile()) await this.importFile(location, path);
      else this.leaveOut(location, found.isSymbolicLink() ? 'it is a link' : 'it is neither file nor folder');
    } catch (error) {
      this.leaveOut(location, reasonOf(error));
    }
  }

  /** @returns the reason why `path` cannot be a folder of the user's own */
  private async openFolder(path: NodePath): Promise<string | undefined> {
    const existing = await this.tree.find(this.view, path);
    if (existing?.isReceived) return 'a received share stands there';
    if (existing?.row.kind === 'file') return 'a file stands there';
    if (existing || path === ROOT) return undefined;
    await this.writer.makeFolder(this.view, path);
    this.counts.folders++;
    return undefined;
  }

  private async importFile(location: Buffer, path: NodePath): Promise<void> {
    const existing = await this.tree.find(this.view, path);
    if (existing?.isReceived) return this.leaveOut(location, 'a received share stands there');
    const file = await reading(open(location, READ_FILE));
    try {
      const { size, mtime } = await file.stat();
      if (existing && isSame(existing, size, mtime)) return void this.counts.unchanged++;
      const content = file.createReadStream({ autoClose: false });
      const { created } = await this.writer.put(this.view, path, content, { announcedSize: size, mtime });
      this.counts[created ? 'imported' : 'replaced']++;
      this.counts.bytes += size;
    } finally {
      await file.close();
    }
  }

  private leaveOut(location: Buffer, reason: string): void {
    this.counts.leftOut++;
    this.listener.leftOut(location.toString(), reason);
  }
}

function isSame({ row }: VisibleNode, size: number, mtime: Date): boolean {
  return row.kind === 'file' && row.size === size && row.mtime.getTime() === mtime.getTime();
}

/** Whether the user has no room left. */
export const isFull = ({ code }: TreeFailure): boolean =>
  code === 'quota-exceeded' || code === 'too-many-nodes';

/** A file or folder of this machine cannot be read. */
class Unreadable extends Error {}

async function reading<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw new Unreadable(`it cannot be read (${(error as NodeJS.ErrnoException).code})`);
  });
}

/** The reason why one entry could not be imported. @throws the error itself if no other entry could be imported either */
function reasonOf(error: unknown): string {
  if (error instanceof Unreadable) return error.message;
  if (error instanceof TreeFailure && !isFull(error)) return error.message;
  const { syscall, code } = error as NodeJS.ErrnoException;
  // The store only writes, so a failing read is a failure of the file.
  if (syscall === 'read') return `it cannot be read (${code})`;
  throw error;
}
