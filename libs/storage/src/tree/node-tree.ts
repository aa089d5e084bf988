import { MountRepository, NodeRepository, type Database, type NodeRow, type BarePlace } from '#persistence';
import { remotePlaceOf, type RemoteTree } from '../mounted/remote-tree';
import { notFound, refuseUnproven, visibleAt } from './admission';
import { ROOT, type NodePath } from './node-path';
import type { ReceivedShares } from './received-shares';
import type { SeenPlace } from './place';
import { TreeFailure } from './tree-failure';
import { storedSpelling } from './stored-spelling';
import { callerSessionOf, placeOf, seenPlaceOf, userView, type TreeView } from './tree-view';
import { childNode, folderAround, fileIn, mountedNode, type VisibleNode } from './visible-node';

/** A folder with at most this number of entries is read at once. */
const AT_ONCE = 2000;
/** Entries that are read at once of a longer folder: they are in memory while the client takes them. */
const PART = 500;

/** The mounts in a folder of a user. */
interface MountsInFolder {
  /** The mounts, by path. */
  readonly mounted: ReadonlyMap<string, VisibleNode>;
  /** Digests of mounts at deeper levels, by the name of the entry that contains them. */
  readonly digests: ReadonlyMap<string, string>;
}

/** Reads the node tree through a viewer's eyes. */
export class NodeTree {
  private readonly nodes: NodeRepository;
  private readonly mounts: MountRepository;

  constructor(
    private readonly database: Database,
    private readonly received: ReceivedShares,
    private readonly remote: RemoteTree,
  ) {
    this.nodes = new NodeRepository(database);
    this.mounts = new MountRepository(database);
  }

  /**
   * The node at `path`.
   * @throws TreeFailure `not-found`; `unavailable` if nothing is known of it and its partner does not answer
   */
  async stat(view: TreeView, path: NodePath): Promise<VisibleNode> {
    const node = await this.find(view, path);
    if (!node) throw notFound(path);
    return node;
  }

  /** The same, before a change of its properties. @throws TreeFailure as `stat`; Locked */
  async statToChange(view: TreeView, path: NodePath): Promise<VisibleNode> {
    const node = await this.stat(view, path);
    (await placeOf(this.database, view, path)).locks.admit('content');
    return node;
  }

  /**
   * The node at `path`, if there is one.
   * @param stored its place, if it was just looked up
   * @throws TreeFailure `not-found` when the view's share has ended, `unavailable`
   */
  find(view: TreeView, path: NodePath, stored?: BarePlace): Promise<VisibleNode | undefined> {
    return this.look(view, path, 0, stored);
  }

  /**
   * The node at `path` with the viewer's present access. Its partner is not asked.
   * @throws TreeFailure `not-found` when the view's share has ended
   */
  async stored(view: TreeView, path: NodePath): Promise<VisibleNode | undefined> {
    return visibleAt(path, await this.received.seenPlaceOf(view, path));
  }

  /**
   * The node at `path`, and then the entries of a folder in parts, because a large folder would fill the memory. Entries that
   * are made or deleted in the meantime are left out.
   * @throws TreeFailure `not-found`, `unavailable`
   */
  async *browse(view: TreeView, path: NodePath): AsyncGenerator<VisibleNode[], void> {
    const node = await this.look(view, path, 1);
    if (!node) throw notFound(path);
    refuseUnproven(node.access);
    const { row } = node;
    const rows = mayList(node) ? await this.nodes.children(row, AT_ONCE + 1) : [];
    if (rows.length <= AT_ONCE) {
      const entries = holdsNoMounts(node)
        ? ownEntries(node, rows, undefined)
        : await this.known(view, node, rows);
      yield [node, ...entries];
      return;
    }
    const mounts = holdsNoMounts(node) ? undefined : await this.mountsIn(view, node);
    yield [node, ...ownEntries(node, rows, mounts)];
    const listed = new Set(rows.map(({ id }) => id));
    const ids = (await this.nodes.childIds(row.id)).filter((id) => !listed.has(id));
    for (let at = 0; at < ids.length; at += PART)
      yield ownEntries(node, await this.nodes.childrenAmong(row, ids.slice(at, at + PART)), mounts);
    if (mounts) yield [...mounts.mounted.values()];
  }

  /** `path` with the stored spelling of its names, or the spelling for new ones; see `storedSpelling`. @throws TreeFailure as that */
  async spell(view: TreeView, path: NodePath): Promise<NodePath> {
    return storedSpelling(this.database, view, path);
  }

  /**
   * A node by its id, at the place in the user's tree that allows most; undefined if the user cannot see it. @throws TreeFailure if
   * all its places demand another sign-in
   */
  async locate(uid: string, nodeId: number): Promise<VisibleNode | undefined> {
    const view = userView(uid);
    await this.received.placeFor(view);
    let best: VisibleNode | undefined;
    let refusal: TreeFailure | undefined;
    for (const path of (await this.nodes.pathsInUserTree(uid, nodeId)) as NodePath[]) {
      try {
        const node = visibleAt(path, await seenPlaceOf(this.database, view, path));
        if (node?.row.id !== nodeId || (best && rank(node) <= rank(best))) continue;
        best = node;
        if (rank(best) === HIGHEST_RANK) break;
      } catch (error) {
        if (!(error instanceof TreeFailure)) throw error;
        refusal ??= error;
      }
    }
    if (!best && refusal) throw refusal;
    return best;
  }

  private async look(
    view: TreeView,
    path: NodePath,
    depth: 0 | 1,
    stored?: BarePlace,
  ): Promise<VisibleNode | undefined> {
    const node = visibleAt(path, await this.freshPlace(view, path, depth, stored));
    const inFolder = view.kind === 'shared-node' && view.showsFileInFolder && path === ROOT;
    return inFolder && node?.row.kind === 'file' ? folderAround(node) : node;
  }

  /** The stored state of a path. For a path at a partner, its present state if the partner answers soon. */
  private async freshPlace(
    view: TreeView,
    path: NodePath,
    depth: 0 | 1,
    stored: BarePlace | undefined,
  ): Promise<SeenPlace> {
    const place = await this.received.seenPlaceOf(view, path, stored);
    if (view.kind === 'user' && place.mountDigest !== null) await this.remote.noteUse(view.uid);
    const atPartner = remotePlaceOf(place);
    if (!atPartner) return place;
    await this.remote.refresh(atPartner, depth);
    return seenPlaceOf(this.database, view, path);
  }

  /**
   * The entries of a folder, ordered by path, with a constant number of statements.
   * @throws TreeFailure `unavailable`
   */
  async list(view: TreeView, folder: VisibleNode): Promise<VisibleNode[]> {
    refuseUnproven(folder.access);
    const atPartner = remotePlaceOf({ ...folder.row, storagePath: folder.row.path, node: folder.row });
    if (atPartner) await this.remote.refresh(atPartner, 1);
    return this.known(view, folder);
  }

  /** The stored entries, whether or not a partner has newer ones. @param children entries of the folder, if they were already read */
  async known(view: TreeView, folder: VisibleNode, children?: readonly NodeRow[]): Promise<VisibleNode[]> {
    if (folder.onlyFile && folder.row.kind !== 'file' && folder.access.may('list'))
      return [fileIn(folder, folder.onlyFile)];
    if (!mayList(folder)) return [];
    const rows = children ?? (await this.nodes.children(folder.row));
    const mounts = await this.mountsIn(view, folder);
    const own = ownEntries(folder, rows, mounts);
    if (!mounts) return own;
    return [...own, ...mounts.mounted.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** The mounts in a folder of a user; undefined if there can be none. */
  private async mountsIn(view: TreeView, folder: VisibleNode): Promise<MountsInFolder | undefined> {
    if (view.kind !== 'user' || folder.isReceived) return undefined;
    const [mounts, digests] = await Promise.all([
      this.mounts.inFolder(view.uid, folder.path),
      this.mounts.digestsBelow(view.uid, folder.path),
    ]);
    const session = callerSessionOf(view);
    return { mounted: new Map(mounts.map((mount) => [mount.target, mountedNode(mount, session)])), digests };
  }
}

/** A number for the access at a place: reading the content counts most, then changing it, then listing. */
const rank = ({ access }: VisibleNode): number =>
  (access.may('download') ? 4 : 0) + (access.may('write') ? 2 : 0) + (access.may('list') ? 1 : 0);
const HIGHEST_RANK = 7;

/** Whether a folder has no mounts in it or below it: they would be part of its etag. */
const holdsNoMounts = ({ etag, row, isReceived, onlyFile }: VisibleNode): boolean =>
  !isReceived && !onlyFile && etag === row.etag;

const mayList = ({ row, access, onlyFile }: VisibleNode): boolean =>
  row.kind === 'folder' && !onlyFile && access.may('list');

/** A mount hides an own entry with the same name, as in the look-up of a path. */
function ownEntries(
  folder: VisibleNode,
  rows: readonly NodeRow[],
  mounts: MountsInFolder | undefined,
): VisibleNode[] {
  const own = rows.map((row) => childNode(folder, row, mounts?.digests.get(row.name)));
  return mounts ? own.filter(({ path }) => !mounts.mounted.has(path)) : own;
}
