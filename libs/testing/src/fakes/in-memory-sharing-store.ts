import {
  dayOf,
  isOwn,
  mayManage,
  ALL,
  SHARE_TYPES,
  type Coverage,
  type CoveredShare,
  type InsertRefusal,
  type NewFederatedShare,
  type NewShare,
  type OfferedShare,
  type OwnSharesFilter,
  type PageKey,
  type PageRequest,
  type PersonalRow,
  type ReceivedSharesFilter,
  type ReceivedSource,
  type Share,
  type ShareChange,
  type ShareStore,
} from '#sharing';
import type { InMemorySharing, StoredShare } from './in-memory-sharing';

/** Stored shares of an InMemorySharing. */
export class InMemoryShareStore implements ShareStore {
  readonly federated: ShareStore['federated'] = { insert: (share) => this.insertFederated(share) };

  constructor(private readonly world: InMemorySharing) {}

  insert(share: NewShare): Promise<Share | InsertRefusal> {
    const { world } = this;
    const named = [
      share.initiatorUid,
      share.node.ownerUid,
      ...(share.type === SHARE_TYPES.user ? [share.recipient] : []),
    ];
    const there = world.nodes.has(share.node.nodeId) && named.every((uid) => world.users.has(uid));
    if (!there || (share.type === SHARE_TYPES.group && !world.groups.has(share.recipient)))
      return Promise.resolve('gone');
    const twin = this.twinOf(share);
    if (twin && isAlive(world, twin)) return Promise.resolve('duplicate');
    if (twin) world.shares.delete(twin.id);
    const { permissions, expiresOn, attributes, note } = share;
    const { name = null, passwordHash = null } = share.type === SHARE_TYPES.link ? share : {};
    const stored: StoredShare = {
      id: world.nextId(),
      made: share,
      createdAtSeconds: Math.floor(world.now.getTime() / 1000),
      changed: { permissions, expiresOn, attributes, note, name, passwordHash },
      rows: new Map(),
    };
    if (share.type === SHARE_TYPES.user)
      stored.rows.set(share.recipient, { state: share.initialState, target: null });
    world.shares.set(stored.id, stored);
    return Promise.resolve(this.viewOf(stored, ''));
  }

  sourceOf(nodeId: number): Promise<ReceivedSource | undefined> {
    return Promise.resolve(this.world.sources.get(nodeId));
  }

  private insertFederated(share: NewFederatedShare): Promise<OfferedShare | InsertRefusal> {
    const { world } = this;
    const isTwin = ({ made }: StoredShare): boolean =>
      made.type === SHARE_TYPES.federated &&
      made.node.nodeId === share.node.nodeId &&
      made.recipient.canonical === share.recipient.canonical;
    if (!world.nodes.has(share.node.nodeId)) return Promise.resolve('gone');
    if (this.alive().some(isTwin)) return Promise.resolve('duplicate');
    world.removeSharesWhere(isTwin);
    const { permissions, expiresOn, attributes, note } = share;
    const id = world.nextId();
    world.shares.set(id, {
      id,
      made: { ...share, type: SHARE_TYPES.federated, fileTarget: '', note: null },
      createdAtSeconds: Math.floor(world.now.getTime() / 1000),
      changed: { permissions, expiresOn, attributes, note, name: null, passwordHash: null },
      rows: new Map(),
    });
    return Promise.resolve({ shareId: id, offerId: id, isHeld: false });
  }

  private twinOf(share: NewShare): StoredShare | undefined {
    if (share.type === SHARE_TYPES.link) return undefined;
    return [...this.world.shares.values()].find(
      ({ made }) =>
        made.type === share.type &&
        made.node.nodeId === share.node.nodeId &&
        made.recipient === share.recipient,
    );
  }

  find(id: number, viewerUid: string): Promise<Share | undefined> {
    const stored = this.alive().find((share) => share.id === id);
    return Promise.resolve(stored && this.viewOf(stored, viewerUid));
  }

  async findWithCoverage(id: number, viewerUid: string): Promise<CoveredShare | undefined> {
    const share = await this.find(id, viewerUid);
    const isForeign = share && mayManage(share, viewerUid) && !isOwn(share.node, viewerUid);
    return share && { share, coverage: isForeign ? await this.coverage(viewerUid, [share.node.nodeId]) : [] };
  }

  listOwn(uid: string, filter: OwnSharesFilter, page: PageRequest): Promise<Share[]> {
    const shares = this.alive().map((stored) => withoutFolder(this.viewOf(stored, '')));
    const found = shares.filter(
      (share) =>
        (share.initiatorUid === uid || (filter.alsoOthersOfMine && share.node.ownerUid === uid)) &&
        (filter.types?.includes(share.type) ?? true) &&
        (filter.nodeId === undefined || share.node.nodeId === filter.nodeId) &&
        (filter.parentNodeId === undefined || share.node.parentId === filter.parentNodeId),
    );
    return Promise.resolve(pageOf(found, page, filter.parentNodeId !== undefined));
  }

  async listReceived(
    uid: string,
    groups: readonly string[],
    filter: ReceivedSharesFilter,
    page: PageRequest,
    place?: () => Promise<boolean>,
  ): Promise<Share[]> {
    await place?.();
    const found = this.alive().filter(({ made, rows, changed }) => {
      const row = rows.get(uid);
      const isReceivable = made.type === SHARE_TYPES.user || made.type === SHARE_TYPES.group;
      if (!row || !isReceivable || made.node.ownerUid === uid || changed.permissions === 0) return false;
      if (made.type === SHARE_TYPES.group && !groups.includes(made.recipient)) return false;
      const wanted = filter.types?.includes(made.type) ?? true;
      return (
        wanted &&
        (filter.state ?? row.state) === row.state &&
        (filter.nodeId ?? made.node.nodeId) === made.node.nodeId
      );
    });
    return pageOf(
      found.map((stored) => this.viewOf(stored, uid)),
      page,
      false,
    );
  }

  coverage(uid: string, nodeIds: readonly number[]): Promise<Coverage[]> {
    const found = this.alive().flatMap((stored) => {
      const row = stored.rows.get(uid);
      if (row?.state !== 'accepted' || row.target === null || !this.reaches(stored, uid)) return [];
      const rootId = stored.made.node.nodeId;
      const below = nodeIds.filter(
        (nodeId) => this.world.nodes.has(nodeId) && this.world.isWithin(nodeId, rootId),
      );
      const { target } = row;
      return below.map((nodeId) => ({
        shareId: stored.id,
        nodeId,
        path: target + this.world.pathOf(nodeId).slice(this.world.pathOf(rootId).length),
        mountTarget: target,
        permissions: stored.changed.permissions,
        attributes: stored.changed.attributes,
        requirements: null,
        direct: nodeId === rootId,
        folderId: this.folderOf(uid, target),
      }));
    });
    return Promise.resolve([...found, ...this.remoteCoverage(uid, nodeIds)]);
  }

  /** Content from other instances stays at its place. */
  private remoteCoverage(uid: string, nodeIds: readonly number[]): Coverage[] {
    const { world } = this;
    return nodeIds.flatMap((nodeId): Coverage[] => {
      const node = world.nodes.get(nodeId);
      const source = world.sources.get(nodeId);
      if (!source || node?.ownerUid !== uid) return [];
      const path = world.pathOf(nodeId);
      const mount = { shareId: null, nodeId, path, mountTarget: path, folderId: node.parentId };
      return [{ ...mount, permissions: ALL, attributes: null, requirements: null, direct: source.isRoot }];
    });
  }

  private reaches({ made }: StoredShare, uid: string): boolean {
    return (
      made.type === SHARE_TYPES.user ||
      (made.type === SHARE_TYPES.group && this.world.groupsOf(uid).includes(made.recipient))
    );
  }

  async update(
    id: number,
    viewerUid: string,
    decide: (share: Share) => ShareChange,
  ): Promise<Share | undefined> {
    const stored = this.alive().find((share) => share.id === id);
    if (!stored) return undefined;
    const change = Object.entries(decide(this.viewOf(stored, viewerUid))).filter(
      ([, value]) => value !== undefined,
    );
    Object.assign(stored.changed, Object.fromEntries(change));
    return this.find(id, viewerUid);
  }

  remove(id: number): Promise<boolean> {
    const known = this.alive().some((share) => share.id === id);
    if (known) this.world.removeSharesWhere((share) => share.id === id);
    return Promise.resolve(known);
  }

  async removeManaged(id: number, uid: string): Promise<boolean> {
    const share = await this.find(id, uid);
    return share !== undefined && mayManage(share, uid) && (await this.remove(id));
  }

  private alive(): StoredShare[] {
    return [...this.world.shares.values()]
      .filter((share) => isAlive(this.world, share))
      .sort((a, b) => a.id - b.id);
  }

  private folderOf(uid: string, target: string): number | null {
    return this.world.ownNode(uid, target.slice(0, target.lastIndexOf('/')))?.nodeId ?? null;
  }

  private viewOf(stored: StoredShare, viewerUid: string): Share {
    const { id, made, changed, createdAtSeconds } = stored;
    const { initiatorUid, fileTarget } = made;
    const { permissions, expiresOn, attributes, note } = changed;
    const node = this.world.sharedNode(made.node.nodeId);
    const base = {
      id,
      initiatorUid,
      node,
      permissions,
      expiresOn,
      createdAtSeconds,
      attributes,
      note,
      fileTarget,
      mailSent: false,
    };
    if (stored.fields) return { ...base, ...stored.fields } as Share;
    switch (made.type) {
      case SHARE_TYPES.user:
        return {
          ...base,
          type: made.type,
          recipientUid: made.recipient,
          personal: this.personalOf(stored, made.recipient),
        };
      case SHARE_TYPES.group: {
        const { recipient: recipientGid, initialState } = made;
        return {
          ...base,
          type: SHARE_TYPES.group,
          recipientGid,
          initialState,
          personal: this.personalOf(stored, viewerUid),
        };
      }
      case SHARE_TYPES.link: {
        const { name, passwordHash } = changed;
        return {
          ...base,
          type: made.type,
          shareToken: made.shareToken,
          name,
          hasPassword: passwordHash !== null,
        };
      }
      case SHARE_TYPES.federated:
        return {
          ...base,
          type: SHARE_TYPES.federated,
          recipient: made.recipient.written,
          isForGroup: made.isForGroup,
          shareToken: made.shareToken,
          delivery: { state: 'pending', attempts: 0, nextAttemptAtSeconds: null, error: null },
          acceptance: 'unknown',
          acceptanceSource: null,
          remoteOwner: made.received?.owner ?? null,
          requester: null,
        };
    }
  }

  private personalOf({ rows }: StoredShare, uid: string): PersonalRow | undefined {
    const row = rows.get(uid);
    return row && { ...row, folderId: row.target === null ? null : this.folderOf(uid, row.target) };
  }
}

/** Whether a share has not expired. */
export function isAlive(world: InMemorySharing, { changed }: StoredShare): boolean {
  return changed.expiresOn === null || changed.expiresOn >= dayOf(world.now);
}

/** Managers of a share do not see the folder in which the recipient has it. */
function withoutFolder(share: Share): Share {
  if (share.type !== SHARE_TYPES.user || !share.personal) return share;
  return { ...share, personal: { ...share.personal, folderId: null } };
}

function pageOf(shares: readonly Share[], { limit, after }: PageRequest, byNode: boolean): Share[] {
  const keyOf = (share: Share): PageKey => ({
    nodeName: byNode ? share.node.name : '',
    shareType: share.type,
    shareId: share.id,
  });
  return [...shares]
    .sort((a, b) => compare(keyOf(a), keyOf(b)))
    .filter((share) => after === undefined || compare(keyOf(share), after) > 0)
    .slice(0, limit);
}

function compare(a: PageKey, b: PageKey): number {
  if (a.nodeName !== b.nodeName) return a.nodeName < b.nodeName ? -1 : 1;
  return a.shareType - b.shareType || a.shareId - b.shareId;
}
