import { NodePropertyRepository, type Database, type LockRepository, type Queryable } from '#persistence';
import { ROOT } from '../tree/node-path';
import type { VisibleNode } from '../tree/visible-node';
import { ChosenProperties } from './chosen-properties';
import { hrefsBelow } from './dav-path';
import {
  DEFAULT_PROPERTIES,
  FAVORITE,
  fileIdOf,
  isLive,
  LIVE_PROPERTIES,
  liveValue,
  QUOTA_PROPERTIES,
  SHARE_TYPES_PROPERTY,
  type LinkProperties,
  type PropertySource,
} from './live-properties';
import { LOCK_PROPERTIES, locksOf } from './lock-properties';
import { propStatOf, type MultistatusEntry, type PropStat } from './multistatus';
import { permissionLetters, type Viewer } from './permission-letters';
import type { PropfindRequest } from './propfind-request';
import { MAX_KEY_BYTES, propertyKey, splitKey, type PropertyKey } from './property-name';
import type { PropertyChange } from './proppatch-request';
import { isSettable, mtimeAmong } from './settable-properties';
import type { SharingRights } from './sharing-rights';

/** Address of a tree, and its viewer. */
export interface PropertyView {
  /** undefined for visitors of a link, who see nothing personal. */
  readonly uid: string | undefined;
  /** The share of a viewer without an account. */
  readonly shareId?: number;
  /** Percent-encoded, as in hrefs. */
  readonly base: string;
  readonly publicUrl: string;
  /** Properties of the link itself on its root. */
  readonly link?: LinkProperties;
}

/** Maximum of dead properties per node, and of bytes per property, because a node is no database. */
const MAX_DEAD_PROPERTIES = 100;
const MAX_VALUE_BYTES = 16 * 1024;

/** The node has as many properties as it may have: undoes the transaction. */
class PropertiesFull extends Error {}

/** Sets the time of the last change of a node, and makes other changes in the same transaction. */
type Touch = (mtime: Date, along: (transaction: Queryable) => Promise<void>) => Promise<void>;

const NONE: readonly never[] = [];
const NAMES = { all: LIVE_PROPERTIES, usual: DEFAULT_PROPERTIES };

/** Reads and writes the properties of nodes. */
export class NodeProperties {
  private instanceId: Promise<string> | undefined;

  private readonly repository: NodePropertyRepository;

  constructor(
    private readonly database: Database,
    private readonly locks: LockRepository,
    private readonly rights: SharingRights,
  ) {
    this.repository = new NodePropertyRepository(database);
  }

  /**
   * Answers a PROPFIND for `nodes`. Each requested kind of value costs one statement. The
   * entries are made one by one, since those of a large folder together would fill the memory.
   */
  async read(
    nodes: readonly VisibleNode[],
    request: PropfindRequest,
    view: PropertyView,
  ): Promise<Iterable<MultistatusEntry>> {
    const chosen = new ChosenProperties(request, NAMES, liveValue);
    const deadWanted = request.kind !== 'named' || chosen.keys.some((key) => !isLive(key));
    const [sourceOf, dead] = await Promise.all([
      this.sources(nodes, chosen.keys, view),
      deadWanted ? this.deadValues(nodes) : new Map<number, Map<PropertyKey, string>>(),
    ]);
    const hrefAt = hrefsBelow(view.base);
    return (function* entries(): Generator<MultistatusEntry> {
      for (const node of nodes) {
        const href = hrefAt(node.path, node.row.kind === 'folder');
        yield { href, propstats: chosen.of(sourceOf(node), dead.get(node.row.id)) };
      }
    })();
  }

  /**
   * Applies a PROPPATCH: all changes or none (RFC 4918 9.2), in one transaction.
   * @param uid the owner of favourites; undefined for visitors of a link, who have none
   * @returns the propstats of the reply
   */
  async change(
    node: VisibleNode,
    changes: readonly PropertyChange[],
    uid: string | undefined,
    touch: Touch,
  ): Promise<PropStat[]> {
    const refused = refusedChanges(node, changes, uid);
    if (refused.length > 0) return refusal(changes, refused);
    const set = changes.filter((change) => isStored(change, uid)).map(({ key }) => key);
    const apply = async (transaction: Queryable): Promise<void> => {
      const properties = new NodePropertyRepository(transaction);
      if (set.length > 0) await assertRoom(properties, node, set);
      for (const { key, value } of changes) await applyChange(properties, node, key, value, uid);
    };
    const mtime = mtimeAmong(changes);
    try {
      await (mtime ? touch(mtime, apply) : this.database.transaction(apply));
    } catch (error) {
      if (error instanceof PropertiesFull) return refusal(changes, set);
      throw error;
    }
    return [
      propStatOf(
        200,
        changes.map(({ key }) => key),
      ),
    ];
  }

  /** The value of oc:permissions. @param uid undefined for visitors of a link */
  async letters(node: VisibleNode, uid: string | undefined): Promise<string> {
    return permissionLetters(node, (await this.viewer(uid, false))(node));
  }

  private async viewer(uid: string | undefined, isPartner: boolean): Promise<(node: VisibleNode) => Viewer> {
    if (uid === undefined) return () => ({ isVisitor: true, isPartner, mayShare: true });
    const mayShare = await this.rights.of(uid);
    return (node) => ({ isVisitor: false, isPartner: false, mayShare: mayShare(node) });
  }

  /** The node's id for clients: padded, with the instance's id (oc:id and the header OC-FileId). */
  async fileId(nodeId: number): Promise<string> {
    return fileIdOf(nodeId, await this.readInstanceId());
  }

  /** The same for many nodes. */
  async fileIds(): Promise<(nodeId: number) => string> {
    const instanceId = await this.readInstanceId();
    return (nodeId) => fileIdOf(nodeId, instanceId);
  }

  private readInstanceId(): Promise<string> {
    this.instanceId ??= this.repository.instanceId().catch((error: unknown) => {
      this.instanceId = undefined;
      throw error;
    });
    return this.instanceId;
  }

  private async sources(nodes: readonly VisibleNode[], wanted: readonly PropertyKey[], view: PropertyView) {
    const { uid } = view;
    const ids = nodes.map((node) => node.row.id);
    const asked = (...keys: readonly PropertyKey[]) => keys.some((key) => wanted.includes(key));
    const folders = nodes.filter((node) => node.row.kind === 'folder');
    const storageIds = storagesOf(folders);
    const [instanceId, viewerOf, favorites, shareTypes, usages, locks] = await Promise.all([
      this.readInstanceId(),
      this.viewer(uid, uid === undefined && view.link === undefined),
      asked(FAVORITE) && uid !== undefined ? this.repository.favorites(ids, uid) : new Set<number>(),
      asked(SHARE_TYPES_PROPERTY) && uid !== undefined
        ? this.repository.shareTypes(ids, uid)
        : new Map<number, number[]>(),
      asked(...QUOTA_PROPERTIES) && storageIds.length > 0
        ? this.repository.usages(storageIds)
        : new Map<number, never>(),
      asked(...LOCK_PROPERTIES) ? this.locks.inStorages(storagesOf(nodes)) : [],
    ]);
    return (node: VisibleNode): PropertySource => ({
      node,
      viewer: viewerOf(node),
      link: node.path === ROOT ? view.link : undefined,
      base: view.base,
      publicUrl: view.publicUrl,
      instanceId,
      isFavorite: favorites.has(node.row.id),
      shareTypes: shareTypes.get(node.row.id) ?? NONE,
      usage: usages.get(node.row.storageId),
      locks: locksOf(node, locks),
      lockView: view,
    });
  }

  private async deadValues(nodes: readonly VisibleNode[]): Promise<Map<number, Map<PropertyKey, string>>> {
    const values = new Map<number, Map<PropertyKey, string>>();
    for (const property of await this.repository.deadProperties(nodes.map((node) => node.row.id))) {
      const ofNode = values.get(property.nodeId) ?? new Map<PropertyKey, string>();
      values.set(property.nodeId, ofNode.set(propertyKey(property.namespace, property.name), property.value));
    }
    return values;
  }
}

/** Whether the change stores a dead property that everybody sees. */
const isStored = ({ key, value }: PropertyChange, uid: string | undefined): boolean =>
  value !== null && !isLive(key) && !isFavorite(key, uid);

const isFavorite = (key: PropertyKey, uid: string | undefined): boolean =>
  key === FAVORITE && uid !== undefined;

/** Keys of the changes that are refused whatever the node has. */
function refusedChanges(
  node: VisibleNode,
  changes: readonly PropertyChange[],
  uid: string | undefined,
): PropertyKey[] {
  const writable = node.access.may('write');
  const isRefused = (change: PropertyChange): boolean => {
    const { key, value } = change;
    return isLive(key) ? !isSettable(change, node) : value !== null && isTooLong(key, value);
  };
  const shared = changes.filter(({ key }) => !isFavorite(key, uid));
  return shared.filter((change) => !writable || isRefused(change)).map(({ key }) => key);
}

/** The answer to changes of which these are refused. */
function refusal(changes: readonly PropertyChange[], refused: readonly PropertyKey[]): PropStat[] {
  const others = changes.map(({ key }) => key).filter((key) => !refused.includes(key));
  return [propStatOf(403, refused), propStatOf(424, others)];
}

/** Locks the node, since others may set properties at the same time. @throws PropertiesFull */
async function assertRoom(
  properties: NodePropertyRepository,
  { row: { id } }: VisibleNode,
  keys: readonly PropertyKey[],
): Promise<void> {
  const set = [...new Set(keys)];
  await properties.lock(id);
  if ((await properties.countOthers(id, set.map(splitKey))) + set.length > MAX_DEAD_PROPERTIES)
    throw new PropertiesFull();
}

async function applyChange(
  properties: NodePropertyRepository,
  { row: { id: nodeId } }: VisibleNode,
  key: PropertyKey,
  value: string | null,
  uid: string | undefined,
): Promise<void> {
  const { namespace, name } = splitKey(key);
  if (uid !== undefined && isFavorite(key, uid))
    await properties.markFavorite(nodeId, uid, /^(?:1|true|yes)$/i.test(value?.trim() ?? ''));
  else if (isLive(key)) return;
  else if (value === null) await properties.removeDeadProperty(nodeId, namespace, name);
  else await properties.setDeadProperty({ nodeId, namespace, name, value });
}

const storagesOf = (nodes: readonly VisibleNode[]): number[] => [
  ...new Set(nodes.map((node) => node.row.storageId)),
];

function isTooLong(key: PropertyKey, value: string): boolean {
  return Buffer.byteLength(key) > MAX_KEY_BYTES || Buffer.byteLength(value) > MAX_VALUE_BYTES;
}
