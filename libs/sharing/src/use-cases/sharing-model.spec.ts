import fc from 'fast-check';
import {
  createCommand,
  listCommand,
  outcomeOf,
  SharingScene,
  updateCommand,
} from '../../../testing/src/fakes/in-memory-sharing-calls';
import { modelRuns, modelSeed } from '../../../testing/src/full-form';
import { SharingModel } from '../../../testing/src/contracts/sharing-model';
import {
  FIRST_PATHS,
  GROUPS,
  PEOPLE,
  type ShareWish,
  type VisibleShares,
  type Switch,
} from '../../../testing/src/contracts/sharing-model-cast';
import { sharingSequences, type ModelledSystem } from '../../../testing/src/contracts/sharing-model-commands';
import { SHARE_TYPES, type Share } from '../domain/share';
import { createShare } from './create-share';
import { acceptShare, declineShare } from './decide-share';
import { deleteShare } from './delete-share';
import { listShares } from './read-shares';
import { updateShare } from './update-share';

/** The use cases with ports in memory. */
class UseCases implements ModelledSystem {
  private readonly scene = new SharingScene('owncloud10');
  private readonly ids = new Map<number, number>();

  constructor() {
    this.scene.world.addUsers(...PEOPLE);
    for (const [gid, members] of Object.entries(GROUPS)) this.scene.world.addGroup(gid, ...members);
    for (const uid of PEOPLE) for (const path of FIRST_PATHS) this.scene.world.add(uid, path);
  }

  async create(uid: string, { path, type, recipient, permissions }: ShareWish, key: number) {
    const command = createCommand({ path, shareType: type, shareWith: recipient, permissions });
    const call = createShare(this.scene.ports, this.caller(uid), command);
    return this.verdict(call.then(({ share }) => this.ids.set(key, share.id)));
  }

  updatePermissions(uid: string, key: number, permissions: number) {
    return this.verdict(
      updateShare(this.scene.ports, this.caller(uid), updateCommand(this.id(key), { permissions })),
    );
  }

  rename(uid: string, key: number, name: string) {
    return this.verdict(
      updateShare(this.scene.ports, this.caller(uid), updateCommand(this.id(key), { name })),
    );
  }

  decide(uid: string, key: number, state: 'accepted' | 'declined') {
    const decide = state === 'accepted' ? acceptShare : declineShare;
    return this.verdict(decide(this.scene.ports, this.caller(uid), this.id(key)));
  }

  remove(uid: string, key: number) {
    return this.verdict(deleteShare(this.scene.ports, this.caller(uid), this.id(key)));
  }

  async addFile(uid: string, path: string): Promise<void> {
    this.scene.world.add(uid, path);
  }

  async move(uid: string, from: string, to: string): Promise<void> {
    this.scene.tree.move(uid, from, to);
  }

  async removeEntry(uid: string, path: string): Promise<void> {
    this.scene.tree.remove(uid, path);
  }

  async join(gid: string, uid: string): Promise<void> {
    this.scene.world.join(gid, uid);
  }

  async leave(gid: string, uid: string): Promise<void> {
    this.scene.world.leave(gid, uid);
  }

  async set(name: Switch, on: boolean): Promise<void> {
    this.scene.set(name, on ? 'yes' : 'no');
  }

  async visibleTo(uid: string): Promise<VisibleShares> {
    const { ports, world, tree } = this.scene;
    const received = await listShares(
      ports,
      this.caller(uid),
      listCommand({ sharedWithMe: true, state: 'all' }),
    );
    const managed = await listShares(ports, this.caller(uid), listCommand({ reshares: true }));
    const own = [...world.nodes.values()].filter((node) => node.parentId === world.users.get(uid)?.rootId);
    return {
      managed: managed.views
        .map(({ share, path, permissions }) => this.line(share, permissions, path))
        .sort(),
      received: received.views
        .map(({ share, state, fileTarget, permissions }) =>
          [this.key(share.id), state, fileTarget, permissions].join(' '),
        )
        .sort(),
      root: [...own.map((node) => `/${node.name}`), ...tree.visibleMounts(uid).keys()].sort(),
    };
  }

  private line(share: Share, permissions: number, path: string): string {
    const name = share.type === SHARE_TYPES.link ? share.name : null;
    const recipients =
      'recipientUid' in share ? share.recipientUid : 'recipientGid' in share ? share.recipientGid : '';
    return [this.key(share.id), share.type, recipients, permissions, path, name ?? ''].join(' ');
  }

  private caller(uid: string) {
    return this.scene.world.caller(uid);
  }

  private id(key: number): number {
    return this.ids.get(key) ?? 0;
  }

  private key(id: number): number | undefined {
    return [...this.ids].find(([, known]) => known === id)?.[0];
  }

  private async verdict(call: Promise<unknown>): Promise<'done' | 'refused'> {
    return (await outcomeOf(call)) === 'done' ? 'done' : 'refused';
  }
}

describe('sharing by several people', () => {
  it('gives everybody the same result as the model, after any actions', async () => {
    await fc.assert(
      fc.asyncProperty(sharingSequences(50), (commands) =>
        fc.asyncModelRun(() => ({ model: new SharingModel(), real: new UseCases() }), commands),
      ),
      { seed: modelSeed(), numRuns: modelRuns(60, 2000) },
    );
  }, 300_000);
});
