import {
  isOwn,
  SHARE_TYPES,
  type SharedNode,
  type SharedOrFound,
  type ShareOfPath,
  type ShareState,
  type Tree,
} from '#sharing';
import { InMemoryShareStore, isAlive } from './in-memory-sharing-store';
import type { InMemorySharing, StoredRow, StoredShare } from './in-memory-sharing';

interface Mount {
  readonly share: StoredShare;
  readonly row: StoredRow & { target: string };
}

/** The trees of an InMemorySharing's users: their own nodes with received shares mounted in them. */
export class InMemoryTree implements Tree {
  constructor(private readonly world: InMemorySharing) {}

  async resolve(uid: string, path: string): Promise<SharedNode | undefined> {
    await this.placeReceived(uid);
    const covering = this.mounts(uid)
      .filter(({ row }) => path === row.target || path.startsWith(`${row.target}/`))
      .sort((a, b) => b.row.target.length - a.row.target.length)[0];
    if (!covering) return this.known(this.world.ownNode(uid, path)?.nodeId);
    const { node } = covering.share.made;
    const inside = this.world.pathOf(node.nodeId) + path.slice(covering.row.target.length);
    return this.known(this.world.ownNode(node.ownerUid, inside)?.nodeId);
  }

  async share(path: string, { share, permissions }: ShareOfPath): Promise<SharedOrFound> {
    const { initiatorUid: uid } = share;
    const node = await this.resolve(uid, path);
    const granted = node && permissions[node.kind];
    if (!node || granted === undefined || !isOwn(node, uid) || (await this.hasMountsBelow(uid, path)))
      return { node };
    const store = new InMemoryShareStore(this.world);
    return { made: await store.insert({ ...share, node, permissions: granted }) };
  }

  private known(nodeId: number | undefined): SharedNode | undefined {
    return nodeId === undefined ? undefined : this.world.sharedNode(nodeId);
  }

  hasMountsBelow(uid: string, path: string): Promise<boolean> {
    return Promise.resolve(this.mounts(uid).some(({ row }) => row.target.startsWith(`${path}/`)));
  }

  placeReceived(uid: string): Promise<boolean> {
    for (const share of this.alive()) this.makeGroupRow(share, uid);
    for (const share of this.alive()) {
      const row = share.rows.get(uid);
      if (row?.state !== 'accepted' || row.target !== null) continue;
      row.target = this.placeOf(uid, share.made.node.nodeId) ?? this.freeTarget(uid, share.made.fileTarget);
    }
    return Promise.resolve(true);
  }

  private makeGroupRow({ made, rows }: StoredShare, uid: string): void {
    if (made.type !== SHARE_TYPES.group || made.node.ownerUid === uid || rows.has(uid)) return;
    if (!this.world.groups.get(made.recipient)?.has(uid)) return;
    rows.set(uid, { state: made.initiatorUid === uid ? 'declined' : made.initialState, target: null });
  }

  decide(uid: string, share: { id: number; nodeId: number }, state: ShareState): Promise<void> {
    const stored = this.world.shares.get(share.id);
    if (!stored) return Promise.resolve();
    const target = state === 'accepted' ? this.acceptedTarget(uid, stored) : null;
    for (const { made, rows } of this.alive()) {
      const isReceivable = made.type === SHARE_TYPES.user || made.type === SHARE_TYPES.group;
      if (made.node.nodeId !== share.nodeId || made.node.ownerUid === uid || !isReceivable) continue;
      if (made.initiatorUid === uid && state === 'accepted') continue;
      const forHim =
        made.type === SHARE_TYPES.user ? rows.has(uid) : this.world.groups.get(made.recipient)?.has(uid);
      if (forHim) rows.set(uid, { state, target: target ?? rows.get(uid)?.target ?? null });
    }
    return Promise.resolve();
  }

  private acceptedTarget(uid: string, { made }: StoredShare): string {
    const standing = this.placeOf(uid, made.node.nodeId);
    if (standing !== undefined) return standing;
    const before = [...this.world.shares.values()]
      .filter((share) => share.made.node.nodeId === made.node.nodeId)
      .map(({ rows }) => rows.get(uid)?.target)
      .find((target) => target != null);
    return this.freeTarget(uid, before ?? made.fileTarget);
  }

  /** The node's present place in the user's tree. */
  private placeOf(uid: string, nodeId: number): string | undefined {
    const targets = [...this.world.shares.values()].flatMap(({ made, rows }) => {
      const row = rows.get(uid);
      return made.node.nodeId === nodeId && row?.state === 'accepted' && row.target !== null
        ? [row.target]
        : [];
    });
    return targets.sort()[0];
  }

  private freeTarget(uid: string, wished: string): string {
    const slash = wished.lastIndexOf('/');
    const folder = this.openFolder(uid, wished.slice(0, slash));
    const name = wished.slice(slash + 1);
    for (let number = 1; ; number++) {
      const target = `${folder}/${number === 1 ? name : numberedName(name, number)}`;
      if (!this.isTaken(uid, target)) return target;
    }
  }

  private isTaken(uid: string, target: string): boolean {
    if (this.world.ownNode(uid, target)) return true;
    const rows = [...this.world.shares.values()].map(({ rows }) => rows.get(uid));
    return rows.some((row) => row?.state === 'accepted' && row.target === target);
  }

  /**
   * The requested folder, created if it is missing; the root if there is a file or another user's folder at its path.
   */
  private openFolder(uid: string, wished: string): string {
    let path = '';
    for (const part of wished.split('/').slice(1)) {
      path += `/${part}`;
      if (this.isMount(uid, path) || this.world.ownNode(uid, path)?.kind === 'file') return '';
      if (!this.world.ownNode(uid, path)) this.world.add(uid, `${path}/`);
    }
    return wished;
  }

  private isMount(uid: string, path: string): boolean {
    return this.mounts(uid).some(({ row }) => row.target === path);
  }

  /** Moves or removes a path of the user's tree: mounts are renamed or declined, own nodes moved or removed. */
  move(uid: string, from: string, to: string): void {
    const touched = this.rowsAtOrBelow(uid, from);
    if (this.isMount(uid, from)) {
      for (const row of touched) if (row.state === 'accepted' && row.target === from) row.target = to;
      return;
    }
    const slash = to.lastIndexOf('/');
    const node = this.world.ownNode(uid, from);
    const parent = this.world.ownNode(uid, to.slice(0, slash));
    if (!node || !parent) throw new Error(`${uid} cannot move ${from} to ${to}`);
    Object.assign(node, { name: to.slice(slash + 1), parentId: parent.nodeId });
    for (const row of touched) if (row.target !== from) row.target = to + row.target.slice(from.length);
  }

  remove(uid: string, path: string): void {
    const isMount = this.isMount(uid, path);
    for (const row of this.rowsAtOrBelow(uid, path)) if (row.state === 'accepted') row.state = 'declined';
    const node = this.world.ownNode(uid, path);
    if (!isMount && node) this.world.removeNode(node.nodeId);
  }

  private rowsAtOrBelow(uid: string, path: string): (StoredRow & { target: string })[] {
    return [...this.world.shares.values()].flatMap(({ rows }) => {
      const row = rows.get(uid);
      const touched = row?.target != null && (row.target === path || row.target.startsWith(`${path}/`));
      return touched ? [row as StoredRow & { target: string }] : [];
    });
  }

  /** The received shares in the user's tree: target to permissions. */
  visibleMounts(uid: string): Map<string, { nodeId: number; permissions: number }> {
    const found = new Map<string, { nodeId: number; permissions: number }>();
    for (const { share, row } of this.mounts(uid)) {
      const nodeId = share.made.node.nodeId;
      const permissions = (found.get(row.target)?.permissions ?? 0) | share.changed.permissions;
      found.set(row.target, { nodeId, permissions });
    }
    return found;
  }

  private mounts(uid: string): Mount[] {
    return this.alive().flatMap((share) => {
      const row = share.rows.get(uid);
      const { made } = share;
      const reached = made.type !== SHARE_TYPES.group || this.world.groups.get(made.recipient)?.has(uid);
      return row?.state === 'accepted' && row.target !== null && reached
        ? [{ share, row: row as Mount['row'] }]
        : [];
    });
  }

  private alive(): StoredShare[] {
    return [...this.world.shares.values()]
      .filter((share) => isAlive(this.world, share))
      .sort((a, b) => a.id - b.id);
  }
}

/** `a.txt` as `a (2).txt`. Names here are short and have at most one dot. */
function numberedName(name: string, number: number): string {
  const [stem, extension] = name.split('.');
  return `${stem} (${number})${extension === undefined ? '' : `.${extension}`}`;
}
