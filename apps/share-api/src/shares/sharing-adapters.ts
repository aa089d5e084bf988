import { Inject, Injectable } from '@nestjs/common';
import { AccountDirectory, PasswordHasher, UserGroups } from '#identity';
import { MountRepository, ShareRepository } from '#persistence';
import { CachedPolicy } from '#settings';
import { CONFIG, randomToken, type Config } from '#platform';
import type { Directory, KnownUser, LinkSecrets, SharedNode, ShareState, SharingPorts, Tree } from '#sharing';
import { NodeTree, parsePath, ReceivedShares, TreeFailure, userView, type VisibleNode } from '#storage';
import { QueuedPartners } from './queued-partners';

const AUTO_ACCEPT = 'files_sharing/auto_accept_share';

/** Accounts and groups, for sharing. */
@Injectable()
export class IdentityDirectory implements Directory {
  constructor(
    private readonly accounts: AccountDirectory,
    private readonly groups: UserGroups,
  ) {}

  async user(uid: string): Promise<KnownUser | undefined> {
    const account = await this.accounts.find(uid);
    if (!account) return undefined;
    return {
      uid: account.uid,
      groups: account.groups,
      autoAccept: account.preferences[AUTO_ACCEPT] !== 'no',
    };
  }

  groupExists(gid: string): Promise<boolean> {
    return this.groups.isKnown(gid);
  }
}

/** The node tree, for sharing. */
@Injectable()
export class StorageTree implements Tree {
  constructor(
    private readonly tree: NodeTree,
    private readonly received: ReceivedShares,
    private readonly mounts: MountRepository,
  ) {}

  async resolve(uid: string, path: string): Promise<SharedNode | undefined> {
    try {
      const view = userView(uid);
      const node = await this.tree.find(view, await this.tree.spell(view, parsePath(path)));
      return node && sharedNodeOf(node);
    } catch (error) {
      // The path is impossible, so there is no node.
      if (error instanceof TreeFailure) return undefined;
      throw error;
    }
  }

  async hasMountsBelow(uid: string, path: string): Promise<boolean> {
    return this.mounts.anyBelow(uid, await this.tree.spell(userView(uid), parsePath(path)));
  }

  placeReceived(uid: string): Promise<boolean> {
    return this.received.place(uid);
  }

  async decide(uid: string, share: { id: number; nodeId: number }, state: ShareState): Promise<void> {
    if (state === 'accepted') await this.received.accept(uid, share.nodeId, share.id);
    else await this.received.decline(uid, share.nodeId);
  }
}

export function sharedNodeOf({ row }: VisibleNode): SharedNode {
  return {
    nodeId: row.id,
    kind: row.kind,
    name: row.name,
    ownerPath: row.path,
    ownerUid: row.ownerUid,
    mimetype: row.mimetype,
    storageId: row.storageId,
    parentId: row.parentId,
    isRemote: row.receivedShareId !== null,
  };
}

/** Ports of the use cases of sharing. */
@Injectable()
export class ServerSharingPorts implements SharingPorts {
  readonly linkSecrets: LinkSecrets;
  readonly clock = { now: () => new Date() };
  readonly compatibility: SharingPorts['compatibility'];

  constructor(
    readonly shares: ShareRepository,
    readonly tree: StorageTree,
    readonly directory: IdentityDirectory,
    readonly policy: CachedPolicy,
    readonly partners: QueuedPartners,
    hasher: PasswordHasher,
    @Inject(CONFIG) config: Config,
  ) {
    this.linkSecrets = {
      newToken: randomToken,
      assertRoomForPassword: () => hasher.assertRoomForChange(),
      hashPassword: (password) => hasher.hash(password),
    };
    this.compatibility = config.COMPATIBILITY;
  }
}
