import {
  FIRST_PATHS,
  GROUPS,
  PEOPLE,
  SWITCHES,
  type ModelOutcome,
  type ShareWish,
  type VisibleShares,
  type Switch,
} from './sharing-model-cast';

type State = 'accepted' | 'pending' | 'declined';

interface ModelNode {
  readonly owner: string;
  readonly isFolder: boolean;
  path: string;
}

interface ModelShare {
  /** Increases with each new share. */
  readonly key: number;
  readonly type: 0 | 1 | 3;
  readonly node: ModelNode;
  readonly initiator: string;
  /** Empty for a link. */
  readonly recipient: string;
  /** Its place in a tree, even if the tree has no node of that name. */
  readonly wished: string;
  readonly initialState: State;
  permissions: number;
  name: string | null;
  readonly rows: Map<string, { state: State; target: string | null }>;
}

const [UPDATE, CREATE, DELETE, SHARE, ALL] = [2, 4, 8, 16, 31];
const LINK_PERMISSIONS = [1, 3, 4, 5, 7, 15];

/**
 * The expected view of every user after a sequence of calls, computed from plain lists of nodes and shares. It does not depend
 * on how shares are stored. Behaves as COMPATIBILITY=owncloud10.
 */
export class SharingModel {
  readonly switches: Record<Switch, boolean> = { ...SWITCHES };
  shares: ModelShare[] = [];
  private nodes: ModelNode[] = PEOPLE.flatMap((owner) =>
    FIRST_PATHS.map((path) => ({ owner, isFolder: path.endsWith('/'), path: path.replace(/\/$/, '') })),
  );
  private readonly members = new Map(Object.entries(GROUPS).map(([gid, uids]) => [gid, new Set(uids)]));
  private made = 0;

  /** Key of the next share. */
  get nextKey(): number {
    return this.made + 1;
  }

  create(uid: string, wish: ShareWish): ModelOutcome {
    const node = this.nodeAt(uid, wish.path);
    if (!node || !this.typeAllowed(wish.type) || wish.recipient === uid) return 'refused';
    const asked =
      wish.type === 3 ? this.newLinkPermissions(wish.permissions, node) : clamped(wish.permissions, node);
    if (asked === undefined || asked === 0 || !this.mayGive(uid, node, asked)) return 'refused';
    if (wish.type === 0 && wish.recipient === node.owner) return 'refused';
    if (wish.type === 3 && !this.linkAllowed(asked)) return 'refused';
    const twin = (share: ModelShare) =>
      share.type === wish.type && share.node === node && share.recipient === wish.recipient;
    if (wish.type !== 3 && this.shares.some(twin)) return 'refused';
    const initialState = this.switches['core/shareapi_auto_accept_share'] ? 'accepted' : 'pending';
    const rows = new Map(wish.type === 0 ? [[wish.recipient, { state: initialState, target: null }]] : []);
    const wished = wish.path.slice(wish.path.lastIndexOf('/'));
    const share = {
      key: ++this.made,
      node,
      initiator: uid,
      initialState,
      permissions: asked,
      name: null,
      rows,
      wished,
    };
    this.shares.push({ ...share, type: wish.type, recipient: wish.recipient } as ModelShare);
    return 'done';
  }

  private typeAllowed(type: number): boolean {
    if (type === 1) return this.switches['core/shareapi_allow_group_sharing'];
    return type !== 3 || this.switches['core/shareapi_allow_links'];
  }

  private newLinkPermissions(asked: number, node: ModelNode): number | undefined {
    if ((asked & CREATE) !== 0 && !this.switches['core/shareapi_allow_public_upload']) return undefined;
    if (asked === CREATE && !node.isFolder) return undefined;
    return clamped(LINK_PERMISSIONS.includes(asked) && asked !== 7 ? asked : 1, node);
  }

  private linkAllowed(permissions: number): boolean {
    return (
      this.switches['core/shareapi_allow_public_upload'] || (permissions & (UPDATE | CREATE | DELETE)) === 0
    );
  }

  /** Whether the user may give these permissions of a node to others. */
  private mayGive(uid: string, node: ModelNode, permissions: number): boolean {
    if (permissions < 0 || permissions > ALL) return false;
    if (node.owner === uid) return true;
    const has = this.waysTo(uid, node).reduce((sum, way) => sum | way.share.permissions, 0);
    return (
      this.switches['core/shareapi_allow_resharing'] && (has & SHARE) !== 0 && (permissions & ~has) === 0
    );
  }

  updatePermissions(uid: string, key: number, permissions: number): ModelOutcome {
    const share = this.managed(uid, key);
    if (!share || (share.type === 1 && !this.switches['core/shareapi_allow_group_sharing'])) return 'refused';
    const asked = share.type === 3 ? permissions : clamped(permissions, share.node);
    if (asked === 0 || !this.mayGive(uid, share.node, asked)) return 'refused';
    if (!this.linksAllow(share) || (share.type === 3 && !this.linkUpdateAllowed(share, asked)))
      return 'refused';
    share.permissions = share.type === 3 ? clamped(asked, share.node) : asked;
    return 'done';
  }

  private linksAllow({ type }: ModelShare): boolean {
    return type !== 3 || this.switches['core/shareapi_allow_links'];
  }

  private linkUpdateAllowed({ node }: ModelShare, permissions: number): boolean {
    const upload = (permissions & CREATE) !== 0;
    return (
      LINK_PERMISSIONS.includes(permissions) && this.linkAllowed(permissions) && (node.isFolder || !upload)
    );
  }

  rename(uid: string, key: number, name: string): ModelOutcome {
    const share = this.managed(uid, key);
    if (!share || (share.type === 1 && !this.switches['core/shareapi_allow_group_sharing'])) return 'refused';
    // A share that its maker could not make now cannot be changed either, not even its name.
    if (!this.mayGive(uid, share.node, 0) || !this.linksAllow(share)) return 'refused';
    if (share.type === 3) share.name = name;
    return 'done';
  }

  /** A share that the user may change. */
  private managed(uid: string, key: number): ModelShare | undefined {
    const share = this.shares.find((item) => item.key === key);
    if (!share || ![share.initiator, share.node.owner].includes(uid)) return undefined;
    return share.node.owner === uid || this.waysTo(uid, share.node).length > 0 ? share : undefined;
  }

  decide(uid: string, key: number, state: 'accepted' | 'declined'): ModelOutcome {
    const share = this.shares.find((item) => item.key === key);
    if (!share || share.initiator === uid || !this.isFor(share, uid)) return 'refused';
    if (share.rows.get(uid)?.state === state) return 'done';
    const siblings = this.shares.filter((item) => item.node === share.node && this.isFor(item, uid));
    const places = siblings.map((item) => item.rows.get(uid)).filter((row) => row?.target != null);
    const standing = places.find((row) => row?.state === 'accepted')?.target;
    const accepted = standing ?? this.freeTarget(uid, places[0]?.target ?? share.wished);
    for (const { rows, initiator } of siblings) {
      if (state === 'accepted' && initiator === uid) continue;
      rows.set(uid, { state, target: state === 'accepted' ? accepted : (rows.get(uid)?.target ?? null) });
    }
    return 'done';
  }

  remove(uid: string, key: number): ModelOutcome {
    const share = this.shares.find((item) => item.key === key);
    if (!share || ![share.initiator, share.node.owner].includes(uid)) return 'refused';
    this.drop((item) => item === share);
    return 'done';
  }

  private drop(doomed: (share: ModelShare) => boolean): void {
    this.shares = this.shares.filter((share) => !doomed(share));
  }

  addFile(uid: string, path: string): void {
    this.nodes.push({ owner: uid, isFolder: false, path });
  }

  /** Moves an entry at the root of the user's tree to a free name. */
  move(uid: string, from: string, to: string): void {
    const mounted = this.rowsAt(uid, from);
    for (const row of mounted) row.target = to;
    if (mounted.length > 0) return;
    for (const node of this.nodes)
      if (node.owner === uid && (node.path === from || node.path.startsWith(`${from}/`)))
        node.path = to + node.path.slice(from.length);
  }

  /** Removes an entry at the root of the user's tree: a received share is declined, an own node is deleted. */
  removeEntry(uid: string, path: string): void {
    const mounted = this.rowsAt(uid, path);
    for (const row of mounted) row.state = 'declined';
    if (mounted.length > 0) return;
    const gone = this.nodes.filter(
      (node) => node.owner === uid && (node.path === path || node.path.startsWith(`${path}/`)),
    );
    this.nodes = this.nodes.filter((node) => !gone.includes(node));
    this.drop((share) => gone.includes(share.node));
  }

  private rowsAt(uid: string, path: string) {
    const rows = this.shares.filter((share) => this.isFor(share, uid)).map(({ rows }) => rows.get(uid));
    return rows
      .filter((row) => row !== undefined)
      .filter((row) => row.state === 'accepted' && row.target === path);
  }

  join(gid: string, uid: string): void {
    this.members.get(gid)?.add(uid);
  }

  leave(gid: string, uid: string): void {
    this.members.get(gid)?.delete(uid);
    for (const share of this.shares) if (share.type === 1 && share.recipient === gid) share.rows.delete(uid);
  }

  isMember(gid: string, uid: string): boolean {
    return this.members.get(gid)?.has(uid) ?? false;
  }

  /** The view of a user; computing it places their received shares. */
  visibleTo(uid: string): VisibleShares {
    this.settle(uid);
    const manages = this.shares.filter((share) => [share.initiator, share.node.owner].includes(uid));
    const received = this.shares.filter((share) => this.isFor(share, uid));
    const own = this.nodes.filter((node) => node.owner === uid).map((node) => node.path);
    const mounts = received
      .map(({ rows }) => rows.get(uid))
      .map((row) => (row?.state === 'accepted' ? row.target : null));
    return {
      managed: manages.flatMap((share) => this.managedLine(uid, share)).sort(),
      received: received.map((share) => this.receivedLine(uid, share)).sort(),
      root: [...new Set([...own.filter((path) => path.lastIndexOf('/') === 0), ...mounts])]
        .filter((path) => path !== null)
        .sort(),
    };
  }

  private managedLine(uid: string, share: ModelShare): string[] {
    const ways = this.waysTo(uid, share.node);
    const way = ways.find((item) => item.share.node === share.node) ?? ways[0];
    const path = share.node.owner === uid ? share.node.path : way?.path;
    if (path === undefined) return [];
    return [[share.key, share.type, share.recipient, share.permissions, path, share.name ?? ''].join(' ')];
  }

  private receivedLine(uid: string, share: ModelShare): string {
    const row = share.rows.get(uid);
    return [share.key, row?.state, row?.target ?? share.wished, share.permissions].join(' ');
  }

  /** Whether the user is a recipient. A member who shares a node with their own group is a recipient, too. */
  private isFor({ type, node, recipient }: ModelShare, uid: string): boolean {
    if (node.owner === uid) return false;
    return type === 0 ? recipient === uid : type === 1 && this.isMember(recipient, uid);
  }

  private settle(uid: string): void {
    const theirs = this.shares.filter((share) => this.isFor(share, uid));
    for (const { rows, initiator, initialState } of theirs)
      if (!rows.has(uid))
        rows.set(uid, { state: initiator === uid ? 'declined' : initialState, target: null });
    for (const share of theirs) {
      const row = share.rows.get(uid);
      if (row?.state !== 'accepted' || row.target !== null) continue;
      const twins = theirs.filter((item) => item.node === share.node).map((item) => item.rows.get(uid));
      const standing = twins.find((twin) => twin?.state === 'accepted' && twin.target !== null)?.target;
      row.target = standing ?? this.freeTarget(uid, share.wished);
    }
  }

  private freeTarget(uid: string, wished: string): string {
    const taken = (path: string) =>
      this.rowsAt(uid, path).length > 0 ||
      this.nodes.some((node) => node.owner === uid && node.path === path);
    if (!taken(wished)) return wished;
    const dot = wished.lastIndexOf('.');
    const [stem, extension] = dot > 0 ? [wished.slice(0, dot), wished.slice(dot)] : [wished, ''];
    for (let number = 2; ; number++) {
      const path = `${stem} (${number})${extension}`;
      if (!taken(path)) return path;
    }
  }

  /** The user's received shares that contain a node, with its path in them. */
  private waysTo(uid: string, node: ModelNode): { share: ModelShare; path: string }[] {
    return this.shares.flatMap((share) => {
      const row = share.rows.get(uid);
      const reached =
        node === share.node ||
        (node.owner === share.node.owner && node.path.startsWith(`${share.node.path}/`));
      if (!reached || !this.isFor(share, uid) || row?.state !== 'accepted' || row.target === null) return [];
      return [{ share, path: row.target + node.path.slice(share.node.path.length) }];
    });
  }

  /** Shares that the user makes, owns or receives. */
  keysOf(uid: string): number[] {
    const concerns = (share: ModelShare) =>
      [share.initiator, share.node.owner].includes(uid) || this.isFor(share, uid);
    return this.shares.filter(concerns).map((share) => share.key);
  }

  /** Every path that exists for the user. */
  pathsOf(uid: string): string[] {
    const own = this.nodes.filter((node) => node.owner === uid).map((node) => node.path);
    return [...own, ...this.receivedPathsOf(uid)].sort();
  }

  receivedPathsOf(uid: string): string[] {
    const others = this.nodes.filter((node) => node.owner !== uid);
    const paths = others.flatMap((node) => this.waysTo(uid, node).map((way) => way.path));
    return [...new Set(paths)].sort();
  }

  private nodeAt(uid: string, path: string): ModelNode | undefined {
    const leadsThere = (node: ModelNode) =>
      node.owner === uid ? node.path === path : this.waysTo(uid, node).some((way) => way.path === path);
    return this.nodes.find(leadsThere);
  }
}

/** Nothing can be created in a file, and its recipient may not remove it. */
function clamped(permissions: number, { isFolder }: ModelNode): number {
  return isFolder ? permissions : permissions & ~(CREATE | DELETE);
}
