import type { Queryable } from '../database';
import { MountPlacementRepository } from './mount-placement.repository';
import { NodeRepository } from './node.repository';
import { NodeWriteRepository } from './node-write.repository';

/** Where received federated shares can stand in their recipients' trees; in one transaction. */
export class ReceivedSharePlaceRepository {
  constructor(private readonly transaction: Queryable) {}

  /** Holds the user's tree until the transaction ends: neither a file nor a share of his can take the same name. */
  async lockTree(uid: string): Promise<void> {
    const nodes = new NodeRepository(this.transaction);
    await nodes.makeStorage(uid);
    const storageId = await nodes.storageOf(uid);
    if (storageId !== undefined) await new NodeWriteRepository(this.transaction).lockStorages([storageId]);
  }

  /** Whether `path` (`''` for the root) is a folder of the user's own. */
  async isOwnFolder(uid: string, path: string): Promise<boolean> {
    const place = await new NodeRepository(this.transaction).place(uid, path);
    return place?.node?.kind === 'folder' && place.mountTarget === null;
  }

  /** Those of `paths` at which something of the user's tree stands: files, folders, received shares of either kind. */
  occupied(uid: string, paths: readonly string[]): Promise<Set<string>> {
    return new MountPlacementRepository(this.transaction).occupied(uid, paths);
  }
}
