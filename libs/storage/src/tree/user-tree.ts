import { MountRepository, NodeRepository, type Database } from '#persistence';
import { Access, allows } from './access';
import { notFound, visibleAt } from './admission';
import type { NodePath } from './node-path';
import type { ReceivedShares } from './received-shares';
import { placeOf } from './tree-transaction';
import { childNode, mountedNode, type VisibleNode } from './visible-node';

/** Reads the tree of a user: his own storage with the shares he received mounted in it. */
export class UserTree {
  private readonly nodes: NodeRepository;
  private readonly mounts: MountRepository;

  constructor(
    database: Database,
    private readonly received: ReceivedShares,
  ) {
    this.nodes = new NodeRepository(database);
    this.mounts = new MountRepository(database);
  }

  /** What the user has at `path`. @throws TreeFailure `not-found` */
  async stat(uid: string, path: NodePath): Promise<VisibleNode> {
    const node = await this.find(uid, path);
    if (!node) throw notFound(path);
    return node;
  }

  /** What the user has at `path`, if anything. */
  async find(uid: string, path: NodePath): Promise<VisibleNode | undefined> {
    await this.received.place(uid);
    return visibleAt(path, await placeOf(this.nodes, uid, path));
  }

  /** The entries of a folder, ordered by path; a constant number of statements whatever their count. */
  async list(uid: string, folder: VisibleNode): Promise<VisibleNode[]> {
    if (folder.row.kind === 'file' || !allows(folder.permissions, Access.read)) return [];
    const rows = await this.nodes.children(folder.row.id);
    if (folder.isReceived) return rows.map((row) => childNode(folder, row, undefined));
    const [mounts, digests] = await Promise.all([
      this.mounts.inFolder(uid, folder.path),
      this.mounts.digestsBelow(uid, folder.path),
    ]);
    // A mount hides an own entry of the same name, as it does when its path is looked up.
    const mounted = new Map(mounts.map((mount) => [mount.target, mountedNode(mount)]));
    const own = rows.map((row) => childNode(folder, row, digests.get(row.name)));
    const entries = [...own.filter((node) => !mounted.has(node.path)), ...mounted.values()];
    return entries.sort((a, b) => (a.path < b.path ? -1 : 1));
  }
}
