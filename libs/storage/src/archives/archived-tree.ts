import { addAbortSignal } from 'node:stream';
import { BlobMissing } from '../blobs/blob-store';
import { admitDownload, notFound } from '../tree/admission';
import type { FileContents, OpenedContent } from '../tree/file-contents';
import { childOf, nameOf, parseName, ROOT, type NodePath } from '../tree/node-path';
import type { NodeTree } from '../tree/node-tree';
import { TreeFailure } from '../tree/tree-failure';
import type { TreeView } from '../tree/tree-view';
import type { VisibleNode } from '../tree/visible-node';
import type { ArchiveEntry } from './archive-entry';

/** Maximum number of tries to open a file that is overwritten again and again. */
const OPEN_ATTEMPTS = 5;
/** Maximum number of names in one request. */
const MAX_CHOSEN = 1000;
/** Name of the archive of a whole tree. */
const NAMELESS = 'download';

/** Part of a tree that becomes one archive. */
export interface ArchivedTree {
  /** Name of the archive, without an extension. */
  readonly name: string;
  /** Entries, read while they are sent. They have to be read to their end or returned. */
  readonly entries: AsyncGenerator<ArchiveEntry>;
}

interface Waiting {
  readonly node: VisibleNode;
  readonly name: string;
}

/**
 * Reads folders for archives. Each folder and file is looked up in its turn, with the permissions at that time. Entries that the
 * viewer may not download are left out, such as a view-only share below the folder. An archive fails if a part cannot be read.
 */
export class ArchivedTrees {
  constructor(
    private readonly tree: NodeTree,
    private readonly contents: FileContents,
  ) {}

  /**
   * A folder with everything below it, or only the named entries of it.
   * @param signal ends the reading of open contents
   * @param chosen names in the folder; all if there are none
   * @throws TreeFailure `not-found`, also for a missing name; `view-only`, `name-refused`, `too-many-entries`,
   * `unavailable`. Reading `entries` throws `unavailable` if content of a partner is not available, and `not-found` if the view ends.
   */
  async open(
    view: TreeView,
    folder: VisibleNode,
    signal: AbortSignal,
    chosen: readonly string[] = [],
  ): Promise<ArchivedTree> {
    admitDownload(folder);
    if (folder.row.kind !== 'folder') throw notFound(folder.path);
    const ownName = folder.path === ROOT && view.kind === 'user' ? '' : folder.row.name;
    // An absent partner is reported before the first byte.
    if (folder.row.receivedShareId !== null) await this.tree.list(view, folder);
    const tops =
      chosen.length === 0
        ? [{ node: folder, name: entryName(ownName) }]
        : await this.chosenFrom(view, folder, chosen);
    return { name: ownName === '' ? NAMELESS : ownName, entries: this.read(view, tops, signal) };
  }

  private async chosenFrom(
    view: TreeView,
    folder: VisibleNode,
    chosen: readonly string[],
  ): Promise<readonly Waiting[]> {
    const names = [...new Set(chosen)];
    if (names.length > MAX_CHOSEN)
      throw new TreeFailure('too-many-entries', `An archive takes ${MAX_CHOSEN} names at most`);
    const tops = new Map<NodePath, Waiting>();
    for (const name of names) {
      const path = await this.tree.spell(view, childOf(folder.path, parseName(name)));
      const node = await this.tree.stat(view, path);
      admitDownload(node);
      tops.set(path, { node, name: entryName(nameOf(path)) });
    }
    return [...tops.values()];
  }

  private async *read(
    view: TreeView,
    tops: readonly Waiting[],
    signal: AbortSignal,
  ): AsyncGenerator<ArchiveEntry> {
    const waiting = tops.toReversed();
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const { node, name } = next;
      if (node.row.kind === 'file') {
        const content = await this.contentOf(view, node);
        if (content) yield* fileEntry(name, content, signal);
        continue;
      }
      const found = await this.entriesOf(view, node);
      if (!found) continue;
      if (name !== '') yield { name, mtime: found.mtime };
      for (const entry of found.entries.toReversed())
        waiting.push({ node: entry, name: below(name, nameOf(entry.path)) });
    }
  }

  /** undefined if the folder is gone by now. */
  private async entriesOf(
    view: TreeView,
    { path }: VisibleNode,
  ): Promise<{ mtime: Date; entries: readonly VisibleNode[] } | undefined> {
    const folder = await this.tree.find(view, path);
    if (folder?.row.kind !== 'folder' || !folder.access.downloadPermit()) return undefined;
    return { mtime: folder.row.mtime, entries: await this.tree.list(view, folder) };
  }

  /** undefined if the file is gone by now, or may not be read any more. */
  private async contentOf(view: TreeView, listed: VisibleNode): Promise<OpenedContent | undefined> {
    for (let attempt = 1; ; attempt++) {
      // A partner is not asked about each file: it refuses the content if that may not be read any more.
      const node = await this.tree.stored(view, listed.path);
      if (node?.row.kind !== 'file' || !node.access.downloadPermit()) return undefined;
      try {
        return await this.contents.open(node);
      } catch (error) {
        if (!(error instanceof BlobMissing) || attempt === OPEN_ATTEMPTS) throw error;
      }
    }
  }
}

function* fileEntry(name: string, content: OpenedContent, signal: AbortSignal): Generator<ArchiveEntry> {
  addAbortSignal(signal, content.body);
  try {
    yield { name, mtime: content.mtime, content };
  } finally {
    content.body.destroy();
  }
}

const below = (folder: string, name: string): string =>
  folder === '' ? entryName(name) : `${folder}/${entryName(name)}`;

/** Some programs treat a backslash as a separator: such a name could lead out of the folder into which the archive is unpacked. */
const entryName = (name: string): string => name.replaceAll('\\', '_');
