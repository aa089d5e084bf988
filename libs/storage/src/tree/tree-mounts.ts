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
  /** Moves the mounts of an owner below a folder of their storage together with that folder, whoever moves it. */
  renameBelow(ownerUid: string, from: string, to: string): Promise<void>;
  /** Gives the mounts of an owner below a folder of their storage other places, because somebody else takes the folder away. */
  placeAgainBelow(ownerUid: string, folder: string): Promise<void>;
  anyBelow(path: NodePath): Promise<boolean>;
}

export function mountsOf(
  view: TreeView,
  transaction: Queryable,
  received: ReceivedShares,
  policy: ShareFolderPolicy,
): TreeMounts {
  return view.kind === 'user'
    ? new UserMounts(transaction, received, policy, view.uid)
    : new SharedNodeMounts(transaction, received, policy);
}

/** Without this check, the removal of one folder would decline all shares in it. @throws TreeFailure `forbidden` */
export function refuseShareFolder(policy: ShareFolderPolicy, path: NodePath): void {
  if (holdsShareFolder(policy, path)) throw forbidden('The folder for received shares cannot be removed');
}

/** The mounts of a storage's owner follow every change of the storage, whoever makes it. */
abstract class OwnerMounts {
  protected readonly mounts: MountRepository;

  constructor(
    protected readonly transaction: Queryable,
    protected readonly received: ReceivedShares,
    protected readonly policy: ShareFolderPolicy,
  ) {
    this.mounts = new MountRepository(transaction);
  }

  renameBelow(ownerUid: string, from: string, to: string): Promise<void> {
    return this.mounts.renameBelow(ownerUid, from, to);
  }

  placeAgainBelow(ownerUid: string, folder: string): Promise<void> {
    return this.received.placeAgainBelow(this.transaction, ownerUid, folder, this.policy.shareFolder);
  }
}

class UserMounts extends OwnerMounts implements TreeMounts {
  constructor(
    transaction: Queryable,
    received: ReceivedShares,
    policy: ShareFolderPolicy,
    private readonly uid: string,
  ) {
    super(transaction, received, policy);
  }

  async declineAtOrBelow(path: NodePath): Promise<void> {
    refuseShareFolder(this.policy, path);
    await this.received.leaveAtOrBelow(this.transaction, this.uid, path);
  }

  rename(from: NodePath, to: NodePath): Promise<void> {
    return this.mounts.rename(this.uid, from, to);
  }

  anyBelow(path: NodePath): Promise<boolean> {
    return this.mounts.anyBelow(this.uid, path);
  }
}

const refuse = (): Promise<never> =>
  Promise.reject(forbidden('The shared node itself cannot be moved or removed'));

const NONE_OF_VIEWER = {
  declineAtOrBelow: refuse,
  rename: refuse,
  anyBelow: (): Promise<boolean> => Promise.resolve(false),
};

/** A tree whose root is a shared node. Only its owner may move or remove that node. */
class SharedNodeMounts extends OwnerMounts implements TreeMounts {
  readonly declineAtOrBelow = NONE_OF_VIEWER.declineAtOrBelow;
  readonly rename = NONE_OF_VIEWER.rename;
  readonly anyBelow = NONE_OF_VIEWER.anyBelow;
}

/** For changes that make or fill entries, and touch no mount. */
export const UNCHANGEABLE_MOUNTS: TreeMounts = {
  ...NONE_OF_VIEWER,
  renameBelow: refuse,
  placeAgainBelow: refuse,
};
