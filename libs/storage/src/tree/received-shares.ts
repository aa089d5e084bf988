import { declineReceived } from '#federation/exchange';
import {
  MountPlacementRepository,
  MountRepository,
  NodeRepository,
  NodeWriteRepository,
  ReceivedShareRepository,
  type Database,
  type Queryable,
  type Room,
  type BarePlace,
} from '#persistence';
import type { PublicAddress } from '#platform';
import { numberedName, type NodeKind, type PolicySource } from '#sharing';
import { makeFolders } from './make-folders';
import { ancestorsOf, childOf, MAX_PATH_BYTES, nameOf, parsePath, ROOT, type NodePath } from './node-path';
import type { Place, SeenPlace } from './place';
import { StoredDecisions } from './stored-decisions';
import { TreeFailure } from './tree-failure';
import { placeAndRoomOf, placeOf, seen, seenPlaceOf, type TreeView } from './tree-view';

/** Numbers that are tried with one read of the tree, after the plain names were found taken. */
const NUMBERS_AT_ONCE = 20;
/** Leaves room for the longest name below it. */
const MAX_FOLDER_BYTES = MAX_PATH_BYTES - 256;

/**
 * Gives received shares their places in their recipients' trees. The recipient's own storage is locked meanwhile, so
 * that neither a second placement nor a new file can take the same name.
 */
export class ReceivedShares {
  /** @param address our own; if it is not known, partners identify a recipient by the secret alone */
  constructor(
    private readonly database: Database,
    readonly policy: PolicySource,
    private readonly address?: Pick<PublicAddress, 'url'>,
  ) {}

  /**
   * Places the user's accepted shares without a place. Call it before their tree or their list of received
   * shares is read. If there is nothing to do, it only probes indexes.
   * @returns whether there was something to do
   */
  async place(uid: string): Promise<boolean> {
    if (!(await new MountPlacementRepository(this.database).anythingToPlace(uid))) return false;
    await this.database.transaction(async (transaction) => {
      const placement = await Placing.begin(transaction, uid);
      await placement.placeAll();
      await new MountPlacementRepository(transaction).settle(uid);
    });
    return true;
  }

  /** Target of a path of a view, after all accepted shares of the user have their places. @throws as `placeOf` of the tree */
  async placeOf(view: TreeView, path: NodePath): Promise<Place> {
    const place = await placeOf(this.database, view, path);
    if (!(await this.settles(view, place))) return place;
    return placeOf(this.database, view, path);
  }

  /** The same without the folder above it and locks, for reads. @param stored the place, if it was just looked up */
  async seenPlaceOf(view: TreeView, path: NodePath, stored?: BarePlace): Promise<SeenPlace> {
    const place = stored ? seen(stored, view) : await seenPlaceOf(this.database, view, path);
    return (await this.settles(view, place)) ? seenPlaceOf(this.database, view, path) : place;
  }

  /** As `placeOf`, with the room of its storage. @param uploadId an upload that does not count */
  async placeAndRoomOf(
    view: TreeView,
    path: NodePath,
    uploadId?: number,
  ): Promise<{ readonly place: Place; readonly room: Room }> {
    const found = await placeAndRoomOf(this.database, view, path, uploadId);
    if (!(await this.settles(view, found.place))) return found;
    return placeAndRoomOf(this.database, view, path, uploadId);
  }

  /** @returns whether something was placed, so that the path may have another target now */
  private async settles(view: TreeView, { isUnsettled }: BarePlace): Promise<boolean> {
    if (!isUnsettled || view.kind !== 'user') return false;
    await this.place(view.uid);
    return true;
  }

  /** The same, before any tree is read or changed. */
  async placeFor(view: TreeView): Promise<void> {
    if (view.kind === 'user') await this.place(view.uid);
  }

  /**
   * Accepts a node for the user: all its shares with them and their groups get state 0 and one target, the former
   * or the requested one, changed if it is taken.
   * @returns the target
   */
  async accept(uid: string, nodeId: number, shareId: number): Promise<string | undefined> {
    return this.database.transaction(async (transaction) =>
      (await Placing.begin(transaction, uid)).accept(nodeId, shareId),
    );
  }

  /**
   * A free target for a share from another instance: `wished`, such as `/Shares/report.txt`, or the first free numbered one,
   * after all earlier accepted shares have their places. It stays free until the transaction ends.
   * @param kind null: not known yet
   */
  async freeTarget(
    transaction: Queryable,
    uid: string,
    wished: string,
    kind: NodeKind | null,
  ): Promise<string> {
    const placement = await Placing.begin(transaction, uid);
    await placement.placeAll();
    return placement.freeTarget(wished, kind);
  }

  /** Gives up the user's mounts at a path of their tree and below it, in the transaction that changes the tree. */
  async leaveAtOrBelow(transaction: Queryable, uid: string, path: NodePath): Promise<void> {
    await new MountRepository(transaction).declineAtOrBelow(uid, path);
    const shares = new ReceivedShareRepository(this.database);
    const decisions = this.decisionsIn(transaction);
    for (const share of await shares.lockMountedAtOrBelow(transaction, uid, path))
      await declineReceived(decisions, share, null);
  }

  /**
   * Gives a user's mounts below a folder of their tree new places in the folder for received shares, because somebody else takes the
   * folder away. The transaction holds the lock of their storage.
   */
  async placeAgainBelow(
    transaction: Queryable,
    uid: string,
    folder: string,
    shareFolder: string,
  ): Promise<void> {
    const mounts = new MountRepository(transaction);
    for (const { target, kind } of await mounts.belowFolder(uid, folder)) {
      const wished = `${shareFolder === '/' ? '' : shareFolder}/${nameOf(target)}`;
      await mounts.rename(uid, target, await this.freeTarget(transaction, uid, wished, kind));
    }
  }

  /** The changes of a decision on shares from partners, in the given transaction. */
  decisionsIn(transaction: Queryable): StoredDecisions {
    return new StoredDecisions(this.database, transaction, this.address);
  }

  /** Declines a node for the user: all its shares with them and their groups get state 2, and keep their target. */
  async decline(uid: string, nodeId: number): Promise<void> {
    await new MountPlacementRepository(this.database).setState(uid, nodeId, 2, null);
  }
}

/** Requested place of a mount, before collisions are resolved. */
interface Wish {
  readonly nodeId: number;
  readonly folder: NodePath;
  readonly name: string;
  readonly kind: NodeKind | null;
}

/** One placement, inside a transaction that holds the lock of the user's storage. */
class Placing {
  /** Resolved folders, by requested folder. */
  private readonly folders = new Map<NodePath, NodePath>([[ROOT, ROOT]]);

  private constructor(
    private readonly transaction: Queryable,
    private readonly placements: MountPlacementRepository,
    private readonly uid: string,
  ) {}

  static async begin(transaction: Queryable, uid: string): Promise<Placing> {
    const nodes = new NodeRepository(transaction);
    await nodes.makeStorage(uid);
    const storageId = await nodes.storageOf(uid);
    if (storageId !== undefined) await new NodeWriteRepository(transaction).lockStorages([storageId]);
    return new Placing(transaction, new MountPlacementRepository(transaction), uid);
  }

  async placeAll(): Promise<void> {
    await this.placements.makeGroupRows(this.uid);
    const unplaced = await this.placements.unplaced(this.uid);
    const targets = new Map<number, string>();
    const wishes = new Map<number, Wish>();
    for (const share of unplaced) {
      if (share.placedTarget !== null) targets.set(share.nodeId, share.placedTarget);
      else if (!wishes.has(share.nodeId))
        wishes.set(share.nodeId, await this.wishFor(share.nodeId, share.wishedTarget, share.kind));
    }
    for (const [nodeId, target] of await this.freeTargets([...wishes.values()])) targets.set(nodeId, target);
    const placed = unplaced.map((share) => ({ shareId: share.shareId, target: targets.get(share.nodeId)! }));
    if (placed.length > 0) await this.placements.setTargets(this.uid, placed);
  }

  async accept(nodeId: number, shareId: number): Promise<string | undefined> {
    const last = await this.placements.lastPlace(this.uid, nodeId);
    const wished = last ?? (await this.placements.wishedPlace(shareId));
    if (wished === undefined) return undefined;
    const target = last?.stillThere
      ? last.target
      : (await this.freeTargets([await this.wishFor(nodeId, wished.target, wished.kind)])).get(nodeId)!;
    await this.placements.setState(this.uid, nodeId, 0, target);
    return target;
  }

  async freeTarget(wished: string, kind: NodeKind | null): Promise<string> {
    const only = 0;
    return (await this.freeTargets([await this.wishFor(only, wished, kind)])).get(only)!;
  }

  /** The requested target of each node, or the first free numbered one; few statements for any number of nodes. */
  private async freeTargets(wishes: readonly Wish[]): Promise<Map<number, string>> {
    const found = new Map<number, string>();
    const taken = new Set<string>();
    let open = wishes;
    for (let first = 1, count = 1; open.length > 0; first += count, count = NUMBERS_AT_ONCE) {
      const candidates = new Map(open.map((wish) => [wish, numberedTargets(wish, first, count)]));
      const occupied = await this.placements.occupied(this.uid, [...candidates.values()].flat());
      for (const [wish, targets] of candidates) {
        const free = targets.find((target) => !occupied.has(target) && !taken.has(target));
        if (free === undefined) continue;
        taken.add(free);
        found.set(wish.nodeId, free);
      }
      open = open.filter((wish) => !found.has(wish.nodeId));
    }
    return found;
  }

  private async wishFor(nodeId: number, wished: string, kind: NodeKind | null): Promise<Wish> {
    return { nodeId, folder: await this.folderFor(folderOfTarget(wished)), name: nameOf(wished), kind };
  }

  /** `wished` if it is a folder of the own tree or can be made one; otherwise the root. */
  private async folderFor(wished: NodePath): Promise<NodePath> {
    const known = this.folders.get(wished);
    if (known !== undefined) return known;
    const folder = await this.openFolder(wished);
    this.folders.set(wished, folder);
    return folder;
  }

  private async openFolder(wished: NodePath): Promise<NodePath> {
    for (const path of [...ancestorsOf(wished), wished]) {
      const place = await new NodeRepository(this.transaction).place(this.uid, path);
      if (!place || place.mountTarget !== null || place.node?.kind === 'file') return ROOT;
    }
    await makeFolders(this.transaction, this.uid, wished);
    return wished;
  }
}

/** The folder of a requested target; the root if that is no valid path, so that no setting locks a user out. */
function folderOfTarget(target: string): NodePath {
  try {
    const folder = parsePath(target.slice(0, target.lastIndexOf('/')));
    return Buffer.byteLength(folder) <= MAX_FOLDER_BYTES ? folder : ROOT;
  } catch (error) {
    if (error instanceof TreeFailure) return ROOT;
    throw error;
  }
}

function numberedTargets({ folder, name, kind }: Wish, first: number, count: number): string[] {
  const numbers = Array.from({ length: count }, (_, index) => first + index);
  return numbers.map((number) => childOf(folder, number === 1 ? name : numberedName(name, number, kind)));
}
