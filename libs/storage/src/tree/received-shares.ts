import { MountPlacementRepository, NodeRepository, NodeWriteRepository, type Database, type Placement, type Queryable } from '#persistence';
import { ancestorsOf, childOf, nameOf, parentOf, parsePath, ROOT, type NodePath } from './node-path';
import { numberedName } from './numbered-name';
import { makeFolders } from './make-folders';

/** Numbers tried in one look at the tree before the next ones are. */
const NUMBERS_AT_ONCE = 20;

/**
 * Gives received shares their places in their recipients' trees.
 *
 * A user's own storage is locked while that happens, so that neither a second placement nor a new file of his
 * can take the same name.
 */
export class ReceivedShares {
  constructor(private readonly database: Database) {}

  /**
   * Places whatever the user has received and accepted and that has no place yet; to be called before his tree or
   * his list of received shares is read. One probe of indexes when there is nothing to do.
   */
  async place(uid: string): Promise<void> {
    if (!(await new MountPlacementRepository(this.database).anythingToPlace(uid))) return;
    await this.database.transaction(async (transaction) => {
      const placement = await Placing.begin(transaction, uid);
      await placement.placeAll();
    });
  }

  /**
   * Accepts a node for the user: all its shares to him and his groups get state 0 and one target, the one they had
   * before or that was wished for, made free of collisions.
   * @returns the target
   */
  async accept(uid: string, nodeId: number, shareId: number): Promise<string | undefined> {
    return this.database.transaction(async (transaction) => (await Placing.begin(transaction, uid)).accept(nodeId, shareId));
  }

  /** Declines a node for the user: all its shares to him and his groups get state 2; they keep their target. */
  async decline(uid: string, nodeId: number): Promise<void> {
    await new MountPlacementRepository(this.database).setState(uid, nodeId, 2, null);
  }
}

/** One placement, inside a transaction that holds the lock of the user's storage. */
class Placing {
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
    const targets = new Map<number, string>();
    const placed: Placement[] = [];
    for (const share of await this.placements.unplaced(this.uid)) {
      const target =
        targets.get(share.nodeId) ?? share.placedTarget ?? (await this.freeTarget(share.wishedTarget, new Set(targets.values())));
      targets.set(share.nodeId, target);
      placed.push({ shareId: share.shareId, target });
    }
    if (placed.length > 0) await this.placements.setTargets(this.uid, placed);
  }

  async accept(nodeId: number, shareId: number): Promise<string | undefined> {
    const last = await this.placements.lastPlace(this.uid, nodeId);
    const wished = last?.target ?? (await this.placements.wishedTarget(shareId));
    if (wished === undefined) return undefined;
    const target = last?.stillThere ? last.target : await this.freeTarget(wished, new Set());
    await this.placements.setState(this.uid, nodeId, 0, target);
    return target;
  }

  /** The wished target or the first numbered one that is free, in a folder of the own tree that is made when missing. */
  private async freeTarget(wished: string, taken: ReadonlySet<string>): Promise<string> {
    const path = parsePath(wished);
    const folder = await this.folderFor(parentOf(path));
    const name = nameOf(path);
    for (let first = 1; ; first += NUMBERS_AT_ONCE) {
      const candidates = Array.from({ length: NUMBERS_AT_ONCE }, (_, index) => {
        const number = first + index;
        return childOf(folder, number === 1 ? name : numberedName(name, number));
      });
      const occupied = await this.placements.occupied(this.uid, candidates);
      const free = candidates.find((candidate) => !occupied.has(candidate) && !taken.has(candidate));
      if (free !== undefined) return free;
    }
  }

  /** `wished` where it is, or can be made, a folder of the own tree; otherwise the root. */
  private async folderFor(wished: NodePath): Promise<NodePath> {
    for (const path of [...ancestorsOf(wished), wished]) {
      const place = await new NodeRepository(this.transaction).place(this.uid, path);
      if (!place || place.mountTarget !== null || place.node?.kind === 'file') return ROOT;
    }
    await makeFolders(this.transaction, this.uid, wished);
    return wished;
  }
}
