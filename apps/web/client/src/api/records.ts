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
  'scim-clients',
  'directory',
  'secrets',
  'capabilities',
] as const;
export const ACCOUNT_LISTS = ['app-passwords', 'second-factor', 'contacts', 'invitations'] as const;
export type ListName = (typeof INSTANCE_LISTS)[number] | (typeof ACCOUNT_LISTS)[number];

/** Actions on a row, and on a list as a whole. */
export const ROW_ACTIONS = {
  shares: ['expire', 'delete'],
  reports: ['close'],
  quarantine: ['release', 'delete'],
  'scim-clients': ['revoke'],
  capabilities: ['delete'],
  'app-passwords': ['revoke'],
  contacts: ['remove'],
  invitations: ['remove'],
} as const;
export const LIST_ACTIONS = {
  'scim-clients': ['create'],
  directory: ['sync', 'sync-accepting-loss'],
  secrets: ['rotate'],
  'app-passwords': ['revoke-all'],
  'second-factor': ['reset'],
} as const;

export type Row = Readonly<Record<string, string | number | boolean | null>>;
export const RECORD_PAGE = 100;

export const readRecords = (list: ListName, uid: string, after: string): Promise<Row[]> =>
  ocs('GET', `${LISTS}/${list}`, { uid, after });
/** @param id of the row; empty for the whole list @returns facts that are shown once, such as a token */
export function actOnRecord(list: ListName, action: string, uid: string, id: string): Promise<Row> {
  if (list === 'quarantine') return decideOnUpload(action, id);
  return ocs('POST', `${LISTS}/${list}/${action}`, { uid, id });
}

/** The app that serves files has the contents. */
async function decideOnUpload(action: string, id: string): Promise<Row> {
  await request(`/remote.php/dav/quarantine/${id}`, { method: action === 'release' ? 'POST' : 'DELETE' });
  return {};
}
