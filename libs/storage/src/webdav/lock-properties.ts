import type { LockRow } from '#persistence';
import { covers } from '../locks/lock-rules';
import { lockRootAt } from '../locks/place-locks';
import { tokenAddress } from '../locks/lock-token';
import type { VisibleNode } from '../tree/visible-node';
import { hrefOf } from './dav-path';
import { DAV, NEXTCLOUD, propertyKey, type PropertyKey } from './property-name';
import { escapeXml } from './xml-text';

/** The reader of a lock's description. */
export interface LockView {
  /** undefined for visitors and partners. */
  readonly uid: string | undefined;
  /** The share of a visitor or partner. */
  readonly shareId?: number;
  /** Percent-encoded, as in hrefs. */
  readonly base: string;
}

const SUPPORTED = ['exclusive', 'shared']
  .map(
    (scope) =>
      `<d:lockentry><d:lockscope><d:${scope}/></d:lockscope><d:locktype><d:write/></d:locktype></d:lockentry>`,
  )
  .join('');

/** Nextcloud's numbers for kinds of locks: by a user, and by a token. */
const OWNER_TYPES = { user: 0, token: 2 } as const;

/** The XML inside a property's element; undefined if the node has no such property. */
type Value = (locks: readonly LockRow[], view: LockView, node: VisibleNode) => string | undefined;

const ofFirst =
  (value: (lock: LockRow, view: LockView) => string | undefined): Value =>
  ([lock], view) =>
    lock && value(lock, view);
const seconds = (date: Date): string => String(Math.floor(date.getTime() / 1000));

const nextcloud: Record<string, Value> = {
  lock: (locks) => (locks.length > 0 ? '1' : ''),
  'lock-owner-type': ofFirst((lock) => String(OWNER_TYPES[lock.kind])),
  'lock-owner': ofFirst((lock, view) => forAccounts(view, lock.uid)),
  'lock-owner-displayname': ofFirst((lock, view) => forAccounts(view, lock.displayName)),
  // Only apps that edit files set a value here.
  'lock-owner-editor': () => undefined,
  'lock-time': ofFirst((lock) => seconds(lock.createdAt)),
  'lock-timeout': ofFirst((lock) => String(lock.timeoutSeconds)),
  'lock-token': ofFirst((lock, view) => (mayKnow(lock, view) ? tokenAddress(lock.token) : undefined)),
};

const VALUES: ReadonlyMap<PropertyKey, Value> = new Map([
  [propertyKey(DAV, 'supportedlock'), () => SUPPORTED],
  [
    propertyKey(DAV, 'lockdiscovery'),
    (locks, view, node) => locks.map((lock) => activeLock(lock, node, view)).join(''),
  ],
  ...Object.entries(nextcloud).map(([name, value]) => [propertyKey(NEXTCLOUD, name), value] as const),
]);

export const LOCK_DISCOVERY = propertyKey(DAV, 'lockdiscovery');

export const LOCK_PROPERTIES: readonly PropertyKey[] = [...VALUES.keys()];

/** The properties in a reply to LOCK and UNLOCK of a user's lock, as in Nextcloud. */
export const USER_LOCK_PROPERTIES: readonly PropertyKey[] = Object.keys(nextcloud).map((name) =>
  propertyKey(NEXTCLOUD, name),
);

/** The XML inside a property about locks; undefined if it is another property, or has no value. */
export function lockValue(
  key: PropertyKey,
  locks: readonly LockRow[],
  view: LockView,
  node: VisibleNode,
): string | undefined {
  return VALUES.get(key)?.(locks, view, node);
}

/** The locks that cover a node, among those of its storage. */
export function locksOf({ row }: VisibleNode, locks: readonly LockRow[]): readonly LockRow[] {
  return locks.length === 0
    ? locks
    : locks.filter((lock) => lock.storageId === row.storageId && covers(lock, row.path));
}

/** Visitors and partners see neither the maker nor the token of locks, except of their own. */
function mayKnow(lock: LockRow, { uid, shareId }: LockView): boolean {
  return uid !== undefined || (shareId !== undefined && lock.shareId === shareId);
}

const forAccounts = ({ uid }: LockView, text: string | null): string | undefined =>
  uid === undefined || text === null ? undefined : escapeXml(text);

function activeLock(lock: LockRow, node: VisibleNode, view: LockView): string {
  const { path, row, mountTarget } = node;
  const root = lockRootAt({ path, storagePath: row.path, mountTarget }, lock.path);
  const left = Math.max(0, Math.round((lock.expiresAt.getTime() - Date.now()) / 1000));
  const owner = lock.ownerXml ?? (lock.displayName === null ? '' : escapeXml(lock.displayName));
  const own = mayKnow(lock, view)
    ? `${owner === '' ? '' : `<d:owner>${owner}</d:owner>`}<d:locktoken><d:href>${tokenAddress(lock.token)}</d:href></d:locktoken>`
    : '';
  return (
    `<d:activelock><d:lockscope><d:${lock.isExclusive ? 'exclusive' : 'shared'}/></d:lockscope><d:locktype><d:write/></d:locktype>` +
    `<d:lockroot><d:href>${escapeXml(hrefOf(view.base, root, false))}</d:href></d:lockroot>` +
    `<d:depth>${lock.isDeep ? 'infinity' : '0'}</d:depth><d:timeout>Second-${left}</d:timeout>${own}</d:activelock>`
  );
}
