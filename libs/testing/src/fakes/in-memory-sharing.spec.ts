import { dayOf } from '#sharing';
import { InMemorySharing } from './in-memory-sharing';
import { inMemoryPorts } from './in-memory-sharing-ports';
import { pathSharesContract } from '../contracts/path-shares.contract';
import { shareStoreContract } from '../contracts/share-store.contract';
import type { ShareStoreStage } from '../contracts/share-store-stage';

describe('shares in memory', () => {
  const open = async (): Promise<ShareStoreStage> => {
    const world = new InMemorySharing();
    const { shares: store, tree } = inMemoryPorts(world);
    return {
      store,
      tree,
      addUsers: async (...uids) => world.addUsers(...uids),
      addGroup: async (gid, ...members) => world.addGroup(gid, ...members),
      leave: async (gid, uid) => world.leave(gid, uid),
      removeUser: async (uid) => world.removeUser(uid),
      removeGroup: async (gid) => world.removeGroup(gid),
      add: async (ownerUid, path) => world.add(ownerUid, path),
      removeNode: async (nodeId) => world.removeNode(nodeId),
      today: () => dayOf(world.now),
    };
  };

  shareStoreContract(open);
  describe('by the path of the node', () => pathSharesContract(open));
});
