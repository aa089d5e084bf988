import { request } from './http';

const SHARES = 'apps/files_sharing/api/v1/shares';
const OFFERS = 'apps/files_sharing/api/v1/remote_shares';

export const SHARE_TYPE = { user: 0, group: 1, link: 3, remote: 6, remoteGroup: 9 } as const;

/** Kind of a share's recipient: a person or group of this organisation, or of another one. */
export function recipientKindOf(shareType: number): 'user' | 'group' | 'remote' | 'remoteGroup' {
  if (shareType === SHARE_TYPE.group) return 'group';
  if (shareType === SHARE_TYPE.remoteGroup) return 'remoteGroup';
  return shareType === SHARE_TYPE.remote ? 'remote' : 'user';
}

export const PERMISSION = { read: 1, update: 2, create: 4, delete: 8, share: 16 } as const;

const { read, update, create, delete: remove } = PERMISSION;
/** Permissions of a link by what it allows; on files only to view them. */
export const LINK_PERMISSIONS = { view: read, edit: read | update | create | remove, drop: create };
export type LinkChoice = keyof typeof LINK_PERMISSIONS;

/** A share, as the OCS Share API shows it. */
export interface Share {
  readonly id: string;
  readonly share_type: number;
  readonly path: string;
  readonly item_type: 'file' | 'folder';
  readonly permissions: number;
  /** Unix seconds. */
  readonly stime: number;
  /** A text such as `2026-11-30 00:00:00`; null for none. */
  readonly expiration: string | null;
  readonly uid_owner: string;
  readonly displayname_owner: string;
  readonly share_with: string | null;
  /** JSON text of a list; null or empty for none. */
  readonly attributes?: string | null;
  readonly share_with_displayname: string | null;
  /** Text beside the name, such as a mail address. */
  readonly share_with_additional_info?: string | null;
  readonly note?: string;
  /** 0 accepted, 1 pending, 2 declined. */
  readonly state?: number;
  /** For links only. */
  readonly url?: string;
  readonly name?: string | null;
  readonly file_target?: string;
  /** For federated shares only. */
  readonly delivery_state?: string;
  readonly delivery_error?: string | null;
  readonly delivery_next_attempt?: number | null;
  readonly acceptance?: string;
}

/** A share that another server offered. */
export interface Offer {
  readonly id: number;
  readonly remote: string;
  readonly owner: string;
  readonly owner_display_name: string;
  /** Federated cloud id. */
  readonly sender: string;
  readonly sender_display_name: string;
  /** Note of the sender; empty for none. */
  readonly description: string;
  /** Whether the server is proven to have offered it. */
  readonly verified: boolean;
  readonly name: string;
  readonly mountpoint: string;
  /** Expiry in Unix seconds. */
  readonly expiration?: number;
  /** Unix seconds since which its server has not answered; absent or null while it does. */
  readonly unreachable_since?: number | null;
  /** Web application at its server; absent for none. */
  readonly webapp?: {
    readonly app_name: string;
    readonly permissions: string[];
    /** Page below the root of this instance. */
    readonly open: string;
  };
}

/** A possible recipient. */
export interface Recipient {
  readonly label: string;
  readonly shareType: number;
  readonly shareWith: string;
  /** A mail address, or the server of a person at another organisation. */
  readonly info?: string;
  readonly isAway: boolean;
}

export type ShareChange = Partial<
  Record<'permissions' | 'publicUpload' | 'expireDate' | 'password' | 'name' | 'note' | 'attributes', string>
>;

/** Calls the OCS API. @param route below `/ocs/v2.php`, percent-encoded */
export async function ocs<T>(
  method: string,
  route: string,
  parameters: Record<string, string> = {},
): Promise<T> {
  const isInQuery = method === 'GET' || method === 'DELETE';
  const query = new URLSearchParams({ ...(isInQuery && parameters), format: 'json' });
  const body = method === 'POST' || method === 'PUT' ? new URLSearchParams(parameters) : undefined;
  const headers = { 'ocs-apirequest': 'true' };
  const reply = await request(`/ocs/v2.php/${route}?${query}`, { method, headers, ...(body && { body }) });
  return ((await reply.json()) as { ocs: { data: T } }).ocs.data;
}

/** Shares of the account: those that it made, its links, or those that it received, including pending ones. */
export type Side = 'given' | 'links' | 'received';
const OF_SIDE: Readonly<Record<Side, Record<string, string>>> = {
  given: { share_types: '0,1,6' },
  links: { share_types: '3' },
  received: { shared_with_me: 'true', state: 'all' },
};
const SHARE_PAGE = '500';
/** A part of a list, and the start of the next one; null on the last part. */
export interface SharePage {
  readonly shares: Share[];
  readonly next: string | null;
}
/** @param cursor from the part before; empty for the first */
export async function listShares(side: Side, cursor: string): Promise<SharePage> {
  const query = new URLSearchParams({
    ...OF_SIDE[side],
    limit: SHARE_PAGE,
    ...(cursor !== '' && { cursor }),
    format: 'json',
  });
  const reply = await request(`/ocs/v2.php/${SHARES}?${query}`, { headers: { 'ocs-apirequest': 'true' } });
  const shares = ((await reply.json()) as { ocs: { data: Share[] } }).ocs.data;
  return { shares, next: reply.headers.get('x-next-cursor') };
}

/** Whether a new link needs a password, by what it allows. */
export async function linksWithPassword(): Promise<Readonly<Record<LinkChoice, boolean>>> {
  const { capabilities } = await ocs<{
    capabilities: { files_sharing?: { public?: { password?: { enforced_for: Record<string, boolean> } } } };
  }>('GET', 'cloud/capabilities');
  const enforced = capabilities.files_sharing?.public?.password?.enforced_for;
  const {
    read_only: view = false,
    read_write_delete: edit = false,
    upload_only: drop = false,
  } = enforced ?? {};
  return { view, edit, drop };
}

/** Shares of one file or folder, including those of others that its owner may see. */
export const sharesOf = (path: string): Promise<Share[]> => ocs('GET', SHARES, { path, reshares: 'true' });

export const createShare = (parameters: Record<string, string>): Promise<Share> =>
  ocs('POST', SHARES, parameters);
/** Makes a share again that was ended, with all that it had. */
export function shareAgain(ended: Share): Promise<Share> {
  const { path, share_type, share_with, permissions, expiration, note, attributes } = ended;
  return createShare({
    path,
    shareType: String(share_type),
    shareWith: share_with ?? '',
    permissions: String(permissions),
    ...(expiration && { expireDate: expiration.slice(0, 10) }),
    ...(note && { note }),
    ...(attributes && { attributes }),
  });
}
export const changeShare = (id: string, change: ShareChange): Promise<Share> =>
  ocs('PUT', `${SHARES}/${id}`, change);
export const endShare = (id: string): Promise<unknown> => ocs('DELETE', `${SHARES}/${id}`);
export const acceptShare = (id: string): Promise<unknown> => ocs('POST', `${SHARES}/pending/${id}`);
export const declineShare = (id: string): Promise<unknown> => ocs('DELETE', `${SHARES}/pending/${id}`);

/** Shares that other servers offered and that the account has not decided on. */
export const listOffers = (): Promise<Offer[]> => ocs('GET', `${OFFERS}/pending`);
/** Shares of other servers that the account accepted. */
export const listAccepted = (): Promise<Offer[]> => ocs('GET', OFFERS);
/** @returns whether it is among the files now: an offer of a web application alone is not */
export async function acceptOffer(id: number): Promise<boolean> {
  const [taken] = await ocs<{ file_target: string }[]>('POST', `${OFFERS}/pending/${id}`);
  return taken?.file_target !== '';
}
/** @param reason text for the owner; empty for none */
export const declineOffer = (id: number, reason = ''): Promise<unknown> =>
  ocs('DELETE', `${OFFERS}/pending/${id}`, reason === '' ? {} : { reason });
export const leaveOffer = (id: number): Promise<unknown> => ocs('DELETE', `${OFFERS}/${id}`);

/** @returns the share; undefined if the link's server has not offered it yet */
export async function saveLink(url: string, password: string): Promise<Offer | undefined> {
  const saved = await ocs<Offer | []>('POST', OFFERS, { url, ...(password !== '' && { password }) });
  return Array.isArray(saved) ? undefined : saved;
}

interface Match {
  readonly label: string;
  /** Name of a group of another organisation, whose label has its server as well. */
  readonly name?: string;
  readonly value: {
    readonly shareType: number;
    readonly shareWith: string;
    readonly shareWithAdditionalInfo?: string;
    readonly server?: string;
  };
}
type Matches = Record<'users' | 'groups' | 'remotes', Match[]> & { readonly remote_groups?: Match[] };

/** Users, groups, and people and groups of other servers whose name or mail address begins with `search`; whole matches first. */
export async function findRecipients(search: string, itemType: 'file' | 'folder'): Promise<Recipient[]> {
  const parameters = { search, itemType, perPage: '20', page: '1' };
  const found = await ocs<Matches & { exact: Matches }>(
    'GET',
    'apps/files_sharing/api/v1/sharees',
    parameters,
  );
  const kinds = ['users', 'groups', 'remotes', 'remote_groups'] as const;
  const matches = [found.exact, found].flatMap((some) => kinds.flatMap((kind) => some[kind] ?? []));
  return matches.map(({ label, name, value }) => ({
    label: name ?? label,
    shareType: value.shareType,
    shareWith: value.shareWith,
    info: value.server ?? value.shareWithAdditionalInfo,
    isAway: value.server !== undefined,
  }));
}
