import {
  createCommand,
  outcomeOf,
  usualScene,
  type SharingScene,
} from '../../../testing/src/fakes/in-memory-sharing-calls';
import type { CreateShareCommand } from '../kinds/create-share-command';
import { createShare } from './create-share';

const create = (scene: SharingScene, given: Partial<CreateShareCommand>) =>
  createShare(scene.ports, scene.world.caller('alice'), createCommand({ path: '/docs', ...given }));

describe('a share whose recipient is removed while it is made', () => {
  const scenes: [string, string, (scene: SharingScene) => void][] = [
    ['user', 'user-unknown', ({ world }) => world.users.delete('bob')],
    ['group', 'group-unknown', ({ world }) => world.groups.delete('team')],
  ];

  it.each(scenes)('names the %s', async (recipient, failure, remove) => {
    const given =
      recipient === 'user' ? { shareType: 0, shareWith: 'bob' } : { shareType: 1, shareWith: 'team' };
    const byPath = usualScene();
    const { tree } = byPath.ports;
    const share = tree.share.bind(tree);
    tree.share = (path, wish) => {
      remove(byPath);
      return share(path, wish);
    };
    expect(await outcomeOf(create(byPath, given))).toBe(failure);
    expect(byPath.world.shares.size).toBe(0);

    const byNode = usualScene();
    const insert = byNode.ports.shares.insert.bind(byNode.ports.shares);
    byNode.ports.tree.share = async (path) => ({ node: await byNode.ports.tree.resolve('alice', path) });
    byNode.ports.shares.insert = (made) => {
      remove(byNode);
      return insert(made);
    };
    expect(await outcomeOf(create(byNode, given))).toBe(failure);
    expect(byNode.world.shares.size).toBe(0);
  });
});
