import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { LockRepository, type Database, type LockRow } from '#persistence';
import { forbidden, notFound } from '../tree/admission';
import type { NodePath } from '../tree/node-path';
import type { NodeTree } from '../tree/node-tree';
import type { Place } from '../tree/place';
import type { ReceivedShares } from '../tree/received-shares';
import { TreeFailure } from '../tree/tree-failure';
import { TreeTransaction } from '../tree/tree-transaction';
import { keysOf, placeOf, type TreeView, type UserView } from '../tree/tree-view';
import type { TreeWriter } from '../tree/tree-writer';
import { nodeAt, type VisibleNode } from '../tree/visible-node';
import { isMadeBy } from './lock-rules';
import { Locked } from './locked';

/** Maximum of locks per maker, per node and per storage: each is read with every change near it. */
const MAX_OF_ACCOUNT = 1000;
const MAX_OF_SHARE = 50;
const MAX_OF_NODE = 20;
const MAX_OF_STORAGE = 5000;

/** A requested lock, by LOCK. */
export interface WantedLock {
  readonly isExclusive: boolean;
  /** Whether a folder is locked with everything below it. */
  readonly isDeep: boolean;
  /** The client's description of the maker, as XML. */
  readonly ownerXml: string | null;
  readonly timeoutSeconds: number;
}

/** People who may end the locks of others. */
export interface LockBreaking {
  /** Members of these groups. */
  readonly groups: readonly string[];
  /** Whether owners of the locked nodes may do so. */
  readonly byOwner: boolean;
}

/** A node with its locks. */
export interface LockedNode {
  readonly node: VisibleNode;
  readonly locks: readonly LockRow[];
}

/** Makes, refreshes and ends locks, under the lock of the storage, as all changes of the tree. */
export class NodeLocks {
  constructor(
    private readonly database: Database,
    private readonly received: ReceivedShares,
    private readonly tree: NodeTree,
    private readonly writer: TreeWriter,
  ) {}

  /**
   * Locks the node at `path`; if there is none, makes an empty file.
   * @throws TreeFailure `forbidden`, `too-many-locks`, as TreeWriter.put; Locked
   */
  async lock(
    view: TreeView,
    path: NodePath,
    wanted: WantedLock,
  ): Promise<LockedNode & { readonly created: boolean }> {
    const created = !(await this.tree.find(view, path)) && (await this.makeEmpty(view, path, wanted));
    const locked = await this.change(view, path, async (change, place) => {
      const node = writable(path, place);
      place.locks.admitLock(wanted);
      const lock = { ...wanted, kind: 'token', isDeep: wanted.isDeep && node.row.kind === 'folder' } as const;
      return { node, locks: [await this.enter(change, view, place, node, lock)] };
    });
    return { ...locked, created };
  }

  /**
   * Extends the locks whose tokens the viewer sent, for `timeoutSeconds` from now on.
   * @throws TreeFailure `no-such-lock`
   */
  refresh(view: TreeView, path: NodePath, timeoutSeconds: number): Promise<LockedNode> {
    return this.change(view, path, async (change, place) => {
      const node = nodeAt(path, place);
      const tokens = place.locks.submitted.map((lock) => lock.token);
      if (!node || tokens.length === 0) throw noSuchLock();
      return { node, locks: await change.locks.refresh(tokens, timeoutSeconds) };
    });
  }

  /**
   * Ends a lock.
   * @throws TreeFailure `lock-elsewhere` if it does not cover `path`; `forbidden` if another person made it
   */
  unlock(view: TreeView, path: NodePath, token: string, breaking: LockBreaking): Promise<void> {
    return this.change(view, path, async (change, place) => {
      const lock = place.locks.covering.find((each) => each.token === token);
      if (!lock) throw new TreeFailure('lock-elsewhere', 'The lock does not hold for this resource');
      if (!isMadeBy(lock, keysOf(view)) && !(await this.mayBreak(change, view, place, breaking)))
        throw forbidden('The lock was made by somebody else');
      await change.locks.remove(token);
    });
  }

  /**
   * Locks a file for a user, without a token; refreshes their own lock.
   * @throws TreeFailure `forbidden`, `not-found`, `too-many-locks`; Locked
   */
  lockForUser(view: UserView, path: NodePath, timeoutSeconds: number): Promise<LockedNode> {
    return this.change(view, path, async (change, place) => {
      if (!place.node) throw notFound(path);
      const node = writable(path, place);
      if (node.row.kind === 'folder') throw forbidden('Only files are locked for a user');
      const own = ownUserLocks(place);
      if (own.length > 0) return { node, locks: await change.locks.refresh(own, timeoutSeconds) };
      const wanted = { isExclusive: true, isDeep: false, ownerXml: null, timeoutSeconds } as const;
      place.locks.admitLock(wanted);
      return { node, locks: [await this.enter(change, view, place, node, { ...wanted, kind: 'user' })] };
    });
  }

  /**
   * Ends the lock of `lockForUser`, or any lock on a file of the user.
   * @throws TreeFailure `no-such-lock`; Locked if another person made it
   */
  unlockForUser(view: UserView, path: NodePath, breaking: LockBreaking): Promise<VisibleNode> {
    return this.change(view, path, async (change, place) => {
      const node = nodeAt(path, place);
      if (!node) throw notFound(path);
      const all = place.locks.covering.filter((lock) => lock.path === place.storagePath);
      if (all.length === 0) throw noSuchLock();
      const own = place.locks.own.filter((lock) => all.includes(lock));
      const mayEnd = own.length > 0 ? own : (await this.mayBreak(change, view, place, breaking)) ? all : [];
      if (mayEnd.length === 0) throw new Locked(path, [path]);
      for (const lock of mayEnd) await change.locks.remove(lock.token);
      return node;
    });
  }

  /** @throws Locked if a lock covers the node at `path` */
  async admitAny(view: TreeView, path: NodePath): Promise<void> {
    const { locks } = await placeOf(this.database, view, path);
    locks.admitLock({ isExclusive: true, isDeep: false });
  }

  /** Removes ended locks. @returns how many there were */
  removeExpired(): Promise<number> {
    return new LockRepository(this.database).removeExpired();
  }

  /** @returns whether it made the file; another request may have been faster */
  private async makeEmpty(view: TreeView, path: NodePath, wanted: WantedLock): Promise<boolean> {
    const place = await this.writer.placeFor(view, path);
    // Somebody who may create and not change could not lock the new file, which would stay.
    if (!place.access.may('write')) throw forbidden();
    place.locks.admitLock({ ...wanted, isDeep: false });
    try {
      await this.writer.put(view, path, Readable.from([]), {
        announcedSize: 0,
        condition: (existing) => {
          if (existing) throw new TreeFailure('exists', 'Something stands there by now');
        },
        isConditional: true,
      });
      return true;
    } catch (error) {
      if (error instanceof TreeFailure && error.code === 'exists') return false;
      throw error;
    }
  }

  private async enter(
    change: TreeTransaction,
    view: TreeView,
    { locks }: Place,
    { row }: VisibleNode,
    wanted: WantedLock & { readonly kind: 'token' | 'user' },
  ): Promise<LockRow> {
    const { maker } = keysOf(view);
    const { ofMaker, ofNode, ofStorage } = await change.locks.count(maker, row.id, row.storageId);
    const limit = 'uid' in maker ? MAX_OF_ACCOUNT : MAX_OF_SHARE;
    if (ofMaker >= limit || ofNode >= MAX_OF_NODE || ofStorage >= MAX_OF_STORAGE)
      throw new TreeFailure('too-many-locks', 'There are as many locks as there may be');
    const lock = { ...wanted, token: randomUUID(), nodeId: row.id, maker, valid: locks.tokensAround };
    return change.locks.insert(lock);
  }

  private async mayBreak(
    change: TreeTransaction,
    view: TreeView,
    place: Place,
    { groups, byOwner }: LockBreaking,
  ): Promise<boolean> {
    if (view.kind !== 'user') return false;
    if (byOwner && place.mountTarget === null) return true;
    return groups.length > 0 && change.locks.isInAny(view.uid, groups);
  }

  private async change<T>(
    view: TreeView,
    path: NodePath,
    work: (change: TreeTransaction, place: Place) => Promise<T>,
  ): Promise<T> {
    await this.received.placeFor(view);
    return TreeTransaction.run(
      this.database,
      this.received,
      view,
      [path],
      (change, [place]) => work(change, place),
      'with-partners',
    );
  }
}

function writable(path: NodePath, place: Place): VisibleNode {
  const node = nodeAt(path, place);
  if (!node) throw new TreeFailure('changed-meanwhile', 'It was removed meanwhile');
  if (!node.access.may('write')) throw forbidden();
  return node;
}

const ownUserLocks = ({ locks }: Place): string[] =>
  locks.own.filter((lock) => lock.kind === 'user').map((lock) => lock.token);

const noSuchLock = (): TreeFailure => new TreeFailure('no-such-lock', 'There is no such lock (any more)');
