import {
  MountRepository,
  NodePropertyRepository,
  NodeRepository,
  type Database,
  type NodeBelow,
  type NodeFilter,
} from '#persistence';
import type { CallerSession } from '#sharing';
import { nameOf, parentOf, type NodePath } from './node-path';
import type { NodeTree } from './node-tree';
import { callerSessionOf, type TreeView } from './tree-view';
import { aboveMounts, fileIn, mountedNode, nodeBelow, type VisibleNode } from './visible-node';

/** Reads everything that a viewer sees below a folder, at any depth, with a constant number of statements. */
export class WholeTree {
  private readonly nodes: NodeRepository;
  private readonly properties: NodePropertyRepository;
  private readonly mounts: MountRepository;

  constructor(
    database: Database,
    private readonly tree: NodeTree,
  ) {
    this.nodes = new NodeRepository(database);
    this.properties = new NodePropertyRepository(database);
    this.mounts = new MountRepository(database);
  }

  /**
   * The node at `path`, and the nodes below it that pass `filter`, by path. Content of partners is taken from the stored facts.
   * @param limit maximum number of nodes below it
   * @throws TreeFailure `not-found`, `unavailable`
   */
  async below(
    view: TreeView,
    path: NodePath,
    filter: NodeFilter,
    limit: number,
  ): Promise<{ readonly top: VisibleNode; readonly found: readonly VisibleNode[] }> {
    const top = await this.tree.stat(view, path);
    if (top.row.kind === 'file' || !top.access.may('list')) return { top, found: [] };
    if (top.onlyFile) return { top, found: await this.passing([fileIn(top, top.onlyFile)], filter) };
    const uid = view.kind === 'user' && !top.isReceived ? view.uid : undefined;
    const mounted = uid === undefined ? [] : await this.mountsBelow(uid, path, callerSessionOf(view));
    const tops = [top, ...mounted.filter(({ row, access }) => row.kind === 'folder' && access.may('list'))];
    const rows = await this.nodes.below(
      tops.map(({ row }) => row.id),
      hiddenBy(mounted, tops),
      filter,
      limit,
    );
    const found = [...(await this.passing(mounted, filter)), ...visibleBelow(tops, rows)];
    found.sort((a, b) => (a.path < b.path ? -1 : 1));
    const first = found.slice(0, limit);
    return { top, found: uid === undefined ? first : await this.withMountDigests(uid, path, mounted, first) };
  }

  private async mountsBelow(uid: string, path: NodePath, session: CallerSession): Promise<VisibleNode[]> {
    const mounts = await this.mounts.belowFolder(uid, path);
    // As in the listing of a folder, only the last of several nodes at one place is shown.
    return [...new Map(mounts.map((mount) => [mount.target, mountedNode(mount, session)])).values()];
  }

  /** Mounted nodes that pass a filter; the statement for the nodes below folders filters all others. */
  private async passing(nodes: readonly VisibleNode[], filter: NodeFilter): Promise<readonly VisibleNode[]> {
    if (filter.by === 'nothing') return nodes;
    if (filter.by === 'name') {
      const part = filter.part.toLowerCase();
      return nodes.filter(({ path }) => nameOf(path).toLowerCase().includes(part));
    }
    const favorites = await this.properties.favorites(
      nodes.map(({ row }) => row.id),
      filter.uid,
    );
    return nodes.filter(({ row }) => favorites.has(row.id));
  }

  /** The etag of an own folder changes with the mounts below it. */
  private async withMountDigests(
    uid: string,
    path: NodePath,
    mounted: readonly VisibleNode[],
    nodes: readonly VisibleNode[],
  ): Promise<readonly VisibleNode[]> {
    const around = new Set(mounted.flatMap((mount) => foldersBetween(path, mount.path)));
    if (around.size === 0) return nodes;
    const digests = await this.mounts.digestsOf(uid, [...around]);
    return nodes.map((node) => {
      const digest = node.isReceived ? undefined : digests.get(node.path);
      return digest === undefined ? node : aboveMounts(node, digest);
    });
  }
}

/** Places where mounts hide nodes: the folder that is read, and the path in its storage. */
function hiddenBy(
  mounted: readonly VisibleNode[],
  tops: readonly VisibleNode[],
): Pick<NodeBelow, 'top' | 'path'>[] {
  return tops.flatMap((top) =>
    mounted
      .filter(({ path }) => path.startsWith(`${top.path}/`))
      .map(({ path }) => ({ top: top.row.id, path: top.row.path + path.slice(top.path.length) })),
  );
}

/** The nodes of `rows`, as the viewer sees them. */
function visibleBelow(tops: readonly VisibleNode[], rows: readonly NodeBelow[]): VisibleNode[] {
  const topsById = Map.groupBy(tops, ({ row }) => row.id);
  return rows.flatMap((row) => (topsById.get(row.top) ?? []).map((top) => nodeBelow(top, row)));
}

/** The folders on the way from `top` to `path`, both excluded. */
function foldersBetween(top: NodePath, path: NodePath): NodePath[] {
  const folders: NodePath[] = [];
  for (let at = parentOf(path); at.length > top.length; at = parentOf(at)) folders.push(at);
  return folders;
}
