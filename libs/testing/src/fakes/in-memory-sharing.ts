import type {
  NewFederatedShare,
  NewShare,
  PartnerVerdict,
  ReceivedSource,
  RegardedPartner,
  SharedNode,
  ShareState,
} from '#sharing';

export interface StoredNode {
  readonly nodeId: number;
  readonly ownerUid: string;
  readonly kind: 'file' | 'folder';
  /** null for a root. */
  parentId: number | null;
  name: string;
}

/** A recipient's personal row. */
export interface StoredRow {
  state: ShareState;
  /** null until it is placed. */
  target: string | null;
}

/** A federated share in the form of the others. */
interface MadeFederatedShare extends NewFederatedShare {
  readonly type: 6;
  readonly fileTarget: '';
  readonly note: null;
}

/** A share in the store; its node is looked up when it is read. */
export interface StoredShare {
  readonly id: number;
  readonly made: NewShare | MadeFederatedShare;
  readonly createdAtSeconds: number;
  /** Changes by updates so far. */
  changed: {
    permissions: number;
    expiresOn: NewShare['expiresOn'];
    attributes: string | null;
    note: string | null;
    name: string | null;
    passwordHash: string | null;
  };
  readonly rows: Map<string, StoredRow>;
  /** Fields of a share of a kind that exists only in a spec; they replace the fields from `made`. */
  readonly fields?: object;
}

export interface StoredUser {
  autoAccept: boolean;
  readonly rootId: number;
}

/** Accounts, a node tree and shares in memory. Specs set it up directly and act through the use cases. */
export class InMemorySharing {
  readonly users = new Map<string, StoredUser>();
  readonly groups = new Map<string, Set<string>>();
  readonly nodes = new Map<number, StoredNode>();
  readonly shares = new Map<number, StoredShare>();
  readonly settings = new Map<string, string>();
  /** Origins of nodes on other instances, by node id; everything is allowed with them. */
  readonly sources = new Map<number, ReceivedSource>();
  /** Trust in partners, by host. */
  readonly regarded = new Map<string, Partial<RegardedPartner>>();
  /** Cloud ids of people who accepted an invitation. */
  readonly contacts = new Set<string>();
  /** Answer of partners to offers. */
  verdict: PartnerVerdict = { kind: 'taken' };
  now = new Date('2030-05-15T12:00:00Z');
  private lastId = 0;

  nextId(): number {
    return ++this.lastId;
  }

  caller(uid: string): { uid: string; groups: string[] } {
    return { uid, groups: this.groupsOf(uid) };
  }

  groupsOf(uid: string): string[] {
    return [...this.groups].filter(([, members]) => members.has(uid)).map(([gid]) => gid);
  }

  addUsers(...uids: string[]): void {
    for (const ownerUid of uids) {
      const nodeId = this.nextId();
      this.nodes.set(nodeId, { nodeId, ownerUid, kind: 'folder', parentId: null, name: '' });
      this.users.set(ownerUid, { autoAccept: true, rootId: nodeId });
    }
  }

  addGroup(gid: string, ...members: string[]): void {
    this.groups.set(gid, new Set(members));
  }

  join(gid: string, uid: string): void {
    this.groups.get(gid)?.add(uid);
  }

  /** Ends a membership, and deletes the member's places of the group's shares. */
  leave(gid: string, uid: string): void {
    this.groups.get(gid)?.delete(uid);
    for (const share of this.shares.values())
      if (share.made.type === 1 && share.made.recipient === gid) share.rows.delete(uid);
  }

  removeGroup(gid: string): void {
    this.groups.delete(gid);
    this.removeSharesWhere(({ made }) => made.type === 1 && made.recipient === gid);
  }

  removeUser(uid: string): void {
    this.users.delete(uid);
    for (const members of this.groups.values()) members.delete(uid);
    for (const node of [...this.nodes.values()]) if (node.ownerUid === uid) this.removeNode(node.nodeId);
    this.removeSharesWhere(
      ({ made }) => made.initiatorUid === uid || (made.type === 0 && made.recipient === uid),
    );
    for (const share of this.shares.values()) share.rows.delete(uid);
  }

  /** Adds `/a/b.txt`, or `/a/b/` as a folder; its parent must exist. */
  add(ownerUid: string, path: string): SharedNode {
    const kind = path.endsWith('/') ? 'folder' : 'file';
    const parts = path.split('/').filter((part) => part !== '');
    const parent = this.ownNode(
      ownerUid,
      parts
        .slice(0, -1)
        .map((part) => `/${part}`)
        .join(''),
    );
    if (!parent) throw new Error(`${ownerUid} has no folder for ${path}`);
    const nodeId = this.nextId();
    this.nodes.set(nodeId, { nodeId, ownerUid, kind, parentId: parent.nodeId, name: parts.at(-1) ?? '' });
    return this.sharedNode(nodeId);
  }

  /** Removes a node with all below it, and their shares. */
  removeNode(nodeId: number): void {
    for (const child of [...this.nodes.values()])
      if (child.parentId === nodeId) this.removeNode(child.nodeId);
    this.nodes.delete(nodeId);
    this.removeSharesWhere(({ made }) => made.node.nodeId === nodeId);
  }

  removeSharesWhere(doomed: (share: StoredShare) => boolean): void {
    for (const share of [...this.shares.values()].filter(doomed)) this.shares.delete(share.id);
  }

  /** The node at a path of the user's own tree, without received shares. */
  ownNode(ownerUid: string, path: string): StoredNode | undefined {
    return [...this.nodes.values()].find(
      (node) => node.ownerUid === ownerUid && this.pathOf(node.nodeId) === path,
    );
  }

  pathOf(nodeId: number): string {
    const node = this.nodes.get(nodeId);
    return !node || node.parentId === null ? '' : `${this.pathOf(node.parentId)}/${node.name}`;
  }

  /** Whether `nodeId` is `ancestorId` or is below it. */
  isWithin(nodeId: number, ancestorId: number): boolean {
    if (nodeId === ancestorId) return true;
    const parentId = this.nodes.get(nodeId)?.parentId ?? null;
    return parentId !== null && this.isWithin(parentId, ancestorId);
  }

  sharedNode(nodeId: number): SharedNode {
    const node = this.nodes.get(nodeId);
    if (!node) throw new Error(`there is no node ${nodeId}`);
    const { kind, name, ownerUid, parentId } = node;
    const mimetype = kind === 'folder' ? 'httpd/unix-directory' : 'text/plain';
    const storageId = this.users.get(ownerUid)?.rootId ?? 0;
    const ownerPath = this.pathOf(nodeId);
    const isRemote = this.sources.has(nodeId);
    return { nodeId, kind, name, ownerPath, ownerUid, mimetype, storageId, parentId, isRemote };
  }
}
