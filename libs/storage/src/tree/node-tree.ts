import { MountRepository, NodeRepository, type Database } from '#persistence';
import { remotePlaceOf, type RemoteTree } from '../mounted/remote-tree';
import { notFound, visibleAt } from './admission';
import { ROOT, type NodePath } from './node-path';
import type { ReceivedShares } from './received-shares';
import type { Place } from './place';
import { storedSpelling } from './stored-spelling';
import { callerSessionOf, placeOf, userView, type TreeView } from './tree-view';
import { childNode, folderAround, fileIn, mountedNode, type VisibleNode } from './visible-node';

/** Reads the node tree as somebody sees it. */
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
   * @throws TreeFailure `not-found`; `unavailable` where nothing is known of it and its partner does not answer
   */
  async stat(view: TreeView, path: NodePath): Promise<VisibleNode> {
    const node = await this.find(view, path);
    if (!node) throw notFound(path);
    return node;
  }

  /** The same, to change its properties. @throws TreeFailure as `stat`; Locked */
  async statToChange(view: TreeView, path: NodePath): Promise<VisibleNode> {
    const node = await this.stat(view, path);
    (await placeOf(this.database, view, path)).locks.admit('content');
    return node;
  }

  /**
   * The node at `path`, if there is one.
   * @throws TreeFailure `not-found` when the view's share has ended, `unavailable`
   */
  find(view: TreeView, path: NodePath): Promise<VisibleNode | undefined> {
    return this.look(view, path, 0);
  }

  /** The node at `path`, and then its entries. @throws TreeFailure as `stat` */
  async browse(view: TreeView, path: NodePath): Promise<VisibleNode[]> {
    const node = await this.look(view, path, 1);
    if (!node) throw notFound(path);
    return [node, ...(await this.known(view, node))];
  }

  /** `path` as its names are stored, or are to be stored; see `storedSpelling`. @throws TreeFailure as that */
  async spell(view: TreeView, path: NodePath): Promise<NodePath> {
    return storedSpelling(this.database, view, path);
  }

  /** A node by its id, at its first place in the user's tree; undefined when the user does not see it. */
  async locate(uid: string, nodeId: number): Promise<VisibleNode | undefined> {
    const view = userView(uid);
    await this.received.placeFor(view);
    for (const path of (await this.nodes.pathsInUserTree(uid, nodeId)) as NodePath[]) {
      const node = visibleAt(path, await placeOf(this.database, view, path));
      if (node?.row.id === nodeId) return node;
    }
    return undefined;
  }

  private async look(view: TreeView, path: NodePath, depth: 0 | 1): Promise<VisibleNode | undefined> {
    await this.received.placeFor(view);
    const node = visibleAt(path, await this.freshPlace(view, path, depth));
    const inFolder = view.kind === 'shared-node' && view.showsFileInFolder && path === ROOT;
    return inFolder && node?.row.kind === 'file' ? folderAround(node) : node;
  }

  /** The stored state of a path; of a path at a partner, the present state if the partner answers soon. */
  private async freshPlace(view: TreeView, path: NodePath, depth: 0 | 1): Promise<Place> {
    const place = await placeOf(this.database, view, path);
    if (view.kind === 'user' && place.mountDigest !== null) await this.remote.noteUse(view.uid);
    const atPartner = remotePlaceOf(place);
    if (!atPartner) return place;
    await this.remote.refresh(atPartner, depth);
    return placeOf(this.database, view, path);
  }

  /**
   * The entries of a folder, ordered by path; a constant number of statements whatever their count.
   * @throws TreeFailure `unavailable`
   */
  async list(view: TreeView, folder: VisibleNode): Promise<VisibleNode[]> {
    const atPartner = remotePlaceOf({ ...folder.row, storagePath: folder.row.path, node: folder.row });
    if (atPartner) await this.remote.refresh(atPartner, 1);
    return this.known(view, folder);
  }

  /** The same as it is known, whether or not a partner has more by now. */
  async known(view: TreeView, folder: VisibleNode): Promise<VisibleNode[]> {
    if (folder.row.kind === 'file' || !folder.access.may('list')) return [];
    if (folder.onlyFile) return [fileIn(folder, folder.onlyFile)];
    const rows = await this.nodes.children(folder.row.id);
    if (view.kind !== 'user' || folder.isReceived)
      return rows.map((row) => childNode(folder, row, undefined));
    const [mounts, digests] = await Promise.all([
      this.mounts.inFolder(view.uid, folder.path),
      this.mounts.digestsBelow(view.uid, folder.path),
    ]);
    // A mount hides an own entry of the same name, as it does when its path is looked up.
    const session = callerSessionOf(view);
    const mounted = new Map(mounts.map((mount) => [mount.target, mountedNode(mount, session)]));
    const own = rows.map((row) => childNode(folder, row, digests.get(row.name)));
    const entries = [...own.filter((node) => !mounted.has(node.path)), ...mounted.values()];
    return entries.sort((a, b) => (a.path < b.path ? -1 : 1));
  }
}
