import { Inject, Injectable } from '@nestjs/common';
import { AccountDirectory, PasswordHasher, UserGroups } from '#identity';
import { MountRepository, sharedNodeOf, ShareRepository } from '#persistence';
import { CachedPolicy } from '#settings';
import { CONFIG, randomToken, type Config } from '#platform';
import type {
  Directory,
  KnownUser,
  LinkSecrets,
  SharedNode,
  SharedOrFound,
  ShareOfPath,
  ShareState,
  SharingPorts,
  Tree,
} from '#sharing';
import { NodeTree, parsePath, ReceivedShares, TreeFailure, userView } from '#storage';
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
    private readonly shares: ShareRepository,
  ) {}

  resolve(uid: string, path: string): Promise<SharedNode | undefined> {
    return unlessImpossible(async () => {
      const view = userView(uid);
      const node = await this.tree.find(view, await this.tree.spell(view, parsePath(path)));
      return node && sharedNodeOf(node.row);
    });
  }

  async share(path: string, share: ShareOfPath): Promise<SharedOrFound> {
    const view = userView(share.share.initiatorUid);
    const result = await unlessImpossible(async (): Promise<SharedOrFound> => {
      const spelled = await this.tree.spell(view, parsePath(path));
      const { made, place, coverage } = await this.shares.insertByPath(spelled, share);
      if (made !== undefined) return { made };
      const node = await this.tree.find(view, spelled, place);
      return { node: node && sharedNodeOf(node.row), coverage };
    });
    return result ?? { node: undefined };
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

/** Without a result for a path that no node can have, or that leads to nothing that the user sees. */
async function unlessImpossible<Result>(look: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof TreeFailure) return undefined;
    throw error;
  }
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
