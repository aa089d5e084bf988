import { request } from './http';
import { ocs } from './ocs';

const LISTS = 'apps/drawbridge/api/v1/lists';

/** Lists of the whole instance, and of single accounts. */
export const INSTANCE_LISTS = [
  'shares',
  'ended-shares',
  'unanswered-shares',
  'reports',
  'quarantine',
  'stored-writes',
  'scim-clients',
  'directory',
  'directory-services',
  'signing-keys',
  'secrets',
  'kept-files',
  'capabilities',
] as const;
export const ACCOUNT_LISTS = [
  'identity',
  'trash',
  'versions',
  'app-passwords',
  'second-factor',
  'contacts',
  'invitations',
] as const;
/** Lists of the instance that can be limited to one account. */
export const NARROWED_LISTS: readonly ListName[] = ['shares', 'ended-shares', 'stored-writes'];
export type ListName = (typeof INSTANCE_LISTS)[number] | (typeof ACCOUNT_LISTS)[number];

/** Actions on a row, and on a list as a whole. */
export const ROW_ACTIONS = {
  shares: ['expire', 'delete'],
  reports: ['close'],
  quarantine: ['release', 'delete'],
  'stored-writes': ['retry', 'give-up'],
  'scim-clients': ['revoke'],
  'directory-services': ['remove'],
  'kept-files': ['remove-outdated'],
  capabilities: ['delete'],
  identity: ['detach'],
  trash: ['restore'],
  versions: ['restore'],
  'app-passwords': ['revoke'],
  contacts: ['remove'],
  invitations: ['remove'],
} as const;
export const LIST_ACTIONS = {
  'scim-clients': ['create'],
  directory: ['sync', 'sync-accepting-loss'],
  'directory-services': ['add'],
  'signing-keys': ['make-new', 'make-new-after-leak'],
  secrets: ['rotate'],
  capabilities: ['set'],
  identity: ['attach'],
  'app-passwords': ['revoke-all'],
  'second-factor': ['reset'],
} as const;

/** Actions that create an entry and need its id, and actions that need a longer text. */
export const NAMING_ACTIONS: readonly string[] = ['create', 'add', 'set'];
export const TEXT_ACTIONS: readonly string[] = ['add', 'set', 'attach'];

export type Row = Readonly<Record<string, string | number | boolean | null>>;
export const RECORD_PAGE = 100;

/** The part of the whole list; empty values for all of it. */
export interface Narrowing {
  readonly uid: string;
  /** Of a partner. */
  readonly host: string;
  /** Of a file of the account. */
  readonly path: string;
}

/** Lists that the files app serves. */
const isKept = (list: ListName): list is 'trash' | 'versions' => list === 'trash' || list === 'versions';
const keptPlace = (list: ListName, uid: string, below: string, query: Record<string, string>): string =>
  `/remote.php/dav/kept-files/${encodeURIComponent(uid)}/${list}${below}?${new URLSearchParams(query)}`;

/** Place of the last row of a page, behind which the next page begins. */
export const placeOf = (list: ListName, { id = '', deletedAt, storedAt }: Row): string =>
  isKept(list) ? `${deletedAt ?? storedAt}/${id}` : String(id);

export async function readRecords(list: ListName, of: Narrowing, after: string): Promise<Row[]> {
  const { uid, host, path } = of;
  if (!isKept(list)) return ocs('GET', `${LISTS}/${list}`, { uid, host, after });
  const reply = await request(keptPlace(list, uid, '', { path, after }));
  return (await reply.json()) as Row[];
}
/** @param entry id of the row, empty for the whole list; and a text that the action needs @returns facts that are shown once, such as a token */
export function actOnRecord(
  list: ListName,
  action: string,
  { uid, path }: Narrowing,
  { id, value }: { readonly id: string; readonly value: string },
): Promise<Row> {
  if (isKept(list)) return restore(keptPlace(list, uid, `/${id}`, { path }));
  if (list === 'quarantine') return decideOnUpload(action, id);
  if (list === 'capabilities' && action === 'set') return announce(id, value);
  return ocs('POST', `${LISTS}/${list}/${action}`, { uid, id, value });
}

async function restore(place: string): Promise<Row> {
  await request(place, { method: 'POST' });
  return {};
}

/** @param entry JSON */
async function announce(app: string, entry: string): Promise<Row> {
  const headers = { 'ocs-apirequest': 'true', 'content-type': 'application/json' };
  const address = `/ocs/v2.php/cloud/capabilities/entries/${encodeURIComponent(app)}?format=json`;
  await request(address, { method: 'PUT', headers, body: entry });
  return {};
}

/** The files app has the contents. */
async function decideOnUpload(action: string, id: string): Promise<Row> {
  await request(`/remote.php/dav/quarantine/${id}`, { method: action === 'release' ? 'POST' : 'DELETE' });
  return {};
}
