import { MountRepository, NodeRepository, type Database } from '#persistence';
import { Access, allows } from './access';
import { notFound, visibleAt } from './admission';
import { ROOT, type NodePath } from './node-path';
import type { ReceivedShares } from './received-shares';
import { placeOf, type TreeView } from './tree-view';
import { childNode, folderAround, fileIn, mountedNode, type VisibleNode } from './visible-node';

/** Reads the node tree as somebody sees it. */
export class NodeTree {
  private readonly nodes: NodeRepository;
  private readonly mounts: MountRepository;

  constructor(
    private readonly database: Database,
    private readonly received: ReceivedShares,
  ) {
    this.nodes = new NodeRepository(database);
    this.mounts = new MountRepository(database);
  }

  /** What stands at `path`. @throws TreeFailure `not-found` */
  async stat(view: TreeView, path: NodePath): Promise<VisibleNode> {
    const node = await this.find(view, path);
    if (!node) throw notFound(path);
    return node;
  }

  /** What stands at `path`, if anything. @throws TreeFailure `not-found` when the view's share has ended */
  async find(view: TreeView, path: NodePath): Promise<VisibleNode | undefined> {
    await this.received.placeFor(view);
    const node = visibleAt(path, await placeOf(this.database, view, path));
    const inFolder = view.kind === 'shared-node' && view.showsFileInFolder && path === ROOT;
    return inFolder && node?.row.kind === 'file' ? folderAround(node) : node;
  }

  /** The entries of a folder, ordered by path; a constant number of statements whatever their count. */
  async list(view: TreeView, folder: VisibleNode): Promise<VisibleNode[]> {
    if (folder.row.kind === 'file' || !allows(folder.permissions, Access.read)) return [];
    if (folder.onlyFile) return [fileIn(folder, folder.onlyFile)];
    const rows = await this.nodes.children(folder.row.id);
    if (view.kind !== 'user' || folder.isReceived)
      return rows.map((row) => childNode(folder, row, undefined));
    const [mounts, digests] = await Promise.all([
      this.mounts.inFolder(view.uid, folder.path),
      this.mounts.digestsBelow(view.uid, folder.path),
    ]);
    // A mount hides an own entry of the same name, as it does when its path is looked up.
    const mounted = new Map(mounts.map((mount) => [mount.target, mountedNode(mount)]));
    const own = rows.map((row) => childNode(folder, row, digests.get(row.name)));
    const entries = [...own.filter((node) => !mounted.has(node.path)), ...mounted.values()];
    return entries.sort((a, b) => (a.path < b.path ? -1 : 1));
  }
}
