import { MountRepository, type Queryable } from '#persistence';
import { holdsShareFolder, type SharingPolicy } from '#sharing';
import { forbidden } from './admission';
import type { NodePath } from './node-path';
import type { ReceivedShares } from './received-shares';
import type { TreeView } from './tree-view';

type ShareFolderPolicy = Pick<SharingPolicy, 'shareFolder'>;

/** The received shares that are mounted in a tree, for changes of the tree. */
export interface TreeMounts {
  /**
   * Leaves the shares at `path` and below it, because something else takes the place, or nothing. @throws TreeFailure `forbidden` if the
   * viewer may not do that, and for the default folder for received shares and its parents
   */
  declineAtOrBelow(path: NodePath): Promise<void>;
  /** @throws TreeFailure `forbidden` if the tree has no mounts */
  rename(from: NodePath, to: NodePath): Promise<void>;
  /** Moves the mounts below a folder together with that folder. */
  renameBelow(from: NodePath, to: NodePath): Promise<void>;
  anyBelow(path: NodePath): Promise<boolean>;
}

export function mountsOf(
  view: TreeView,
  transaction: Queryable,
  received: ReceivedShares,
  policy: ShareFolderPolicy,
): TreeMounts {
  return view.kind === 'user' ? new UserMounts(transaction, received, view.uid, policy) : UNCHANGEABLE_MOUNTS;
}

/** Without this check, the removal of one folder would decline all shares in it. @throws TreeFailure `forbidden` */
export function refuseShareFolder(policy: ShareFolderPolicy, path: NodePath): void {
  if (holdsShareFolder(policy, path)) throw forbidden('The folder for received shares cannot be removed');
}

class UserMounts implements TreeMounts {
  private readonly mounts: MountRepository;

  constructor(
    private readonly transaction: Queryable,
    private readonly received: ReceivedShares,
    private readonly uid: string,
    private readonly policy: ShareFolderPolicy,
  ) {
    this.mounts = new MountRepository(transaction);
  }

  async declineAtOrBelow(path: NodePath): Promise<void> {
    refuseShareFolder(this.policy, path);
    await this.received.leaveAtOrBelow(this.transaction, this.uid, path);
  }

  rename(from: NodePath, to: NodePath): Promise<void> {
    return this.mounts.rename(this.uid, from, to);
  }

  renameBelow(from: NodePath, to: NodePath): Promise<void> {
    return this.mounts.renameBelow(this.uid, from, to);
  }

  anyBelow(path: NodePath): Promise<boolean> {
    return this.mounts.anyBelow(this.uid, path);
  }
}

const refuse = (): Promise<never> =>
  Promise.reject(forbidden('The shared node itself cannot be moved or removed'));

/** A tree whose root is a shared node. Only its owner may move or remove that node. */
export const UNCHANGEABLE_MOUNTS: TreeMounts = {
  declineAtOrBelow: refuse,
  rename: refuse,
  renameBelow: () => Promise.resolve(),
  anyBelow: () => Promise.resolve(false),
};
