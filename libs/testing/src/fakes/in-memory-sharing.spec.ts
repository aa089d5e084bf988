import { dayOf } from '#sharing';
import { InMemorySharing } from './in-memory-sharing';
import { inMemoryPorts } from './in-memory-sharing-ports';
import { shareStoreContract } from '../contracts/share-store.contract';

describe('shares in memory', () => {
  shareStoreContract(async () => {
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
  });
});
