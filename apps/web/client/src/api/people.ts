import { ocs } from './ocs';

const OCM = 'apps/ocm/api/v1';
const NOTIFICATIONS = 'apps/notifications/api/v1/notifications';

/** A person at another server who is a contact by an invitation. */
export interface Contact {
  readonly id: number;
  readonly display_name: string;
  readonly share_with: string;
  readonly mail: string | null;
  /** Unix seconds. */
  readonly since: number;
}

/** An invitation that nobody has accepted yet. */
export interface Invitation {
  readonly id: number;
  readonly description: string;
  /** Unix seconds. */
  readonly expiration: number;
}

/** A notification for the account, with its actions. */
export interface Notice {
  readonly notification_id: number;
  /** ISO 8601. */
  readonly datetime: string;
  readonly subject: string;
  readonly message: string;
  readonly actions: readonly NoticeAction[];
}
export interface NoticeAction {
  readonly label: string;
  readonly link: string;
  readonly type: string;
  readonly primary: boolean;
}

export const listContacts = (): Promise<Contact[]> => ocs('GET', `${OCM}/contacts`);
export const removeContact = (id: number): Promise<unknown> => ocs('DELETE', `${OCM}/contacts/${id}`);
export const listInvitations = (): Promise<Invitation[]> => ocs('GET', `${OCM}/invitations`);
export const takeInvitationBack = (id: number): Promise<unknown> => ocs('DELETE', `${OCM}/invitations/${id}`);

/** A new invitation: as a text for the other server, and as the address of the page for its acceptance. It is shown only once. */
export interface MadeInvitation {
  readonly invitation: string;
  readonly link: string;
}
export const invite = (description: string): Promise<MadeInvitation> =>
  ocs('POST', `${OCM}/invitations`, { description });

/** @returns whether the contact is there at once; otherwise it appears when the other server answers */
export async function acceptInvitation(invitation: string): Promise<boolean> {
  return !Array.isArray(await ocs('POST', `${OCM}/invitations/accept`, { invitation }));
}

/** A request to a contact for a share. */
export interface ShareRequest {
  readonly id: number;
  /** Cloud id of the contact. */
  readonly owner: string;
  /** Id or address of the wanted file. */
  readonly share: string;
  /** Unix seconds. */
  readonly since: number;
  readonly state: 'pending' | 'retrying' | 'delivered' | 'not-sent' | 'refused' | 'dead';
  /** Why it could not be delivered; empty for none. */
  readonly error: string;
}
export const listShareRequests = (): Promise<ShareRequest[]> => ocs('GET', `${OCM}/share-requests`);
export const requestShare = (contact: number, share: string): Promise<ShareRequest> =>
  ocs('POST', `${OCM}/share-requests`, { contact: String(contact), share });
export const takeShareRequestBack = (id: number): Promise<unknown> =>
  ocs('DELETE', `${OCM}/share-requests/${id}`);

/** Without notifications, the answer contains no list. */
export async function listNotices(): Promise<Notice[]> {
  const notices = await ocs<Notice[] | undefined>('GET', NOTIFICATIONS);
  return Array.isArray(notices) ? notices : [];
}
export const dismissNotice = (id: number): Promise<unknown> => ocs('DELETE', `${NOTIFICATIONS}/${id}`);

/** Whether an action declines another server's offer: then a reason can be sent to its owner. */
export const declinesOffer = ({ link, type }: NoticeAction): boolean =>
  type === 'DELETE' && link.includes('/remote_shares/');

/** Does an action of a notification. @param reason text for the owner if it declines an offer; empty for none */
export function takeAction({ link, type }: NoticeAction, reason = ''): Promise<unknown> {
  const route = new URL(link).pathname.replace(/^.*\/ocs\/v[12]\.php\//, '');
  return ocs(type, route, reason === '' ? {} : { reason });
}

const UNWANTED = 'apps/drawbridge/api/v1';
/** A person at another server, or a whole server, whose offers the account blocks. */
export interface Block {
  readonly id: number;
  /** Federated cloud id, or host. */
  readonly who: string;
}
export const listBlocks = (): Promise<Block[]> => ocs('GET', `${UNWANTED}/offer-blocks`);
export const block = (who: string): Promise<Block> => ocs('POST', `${UNWANTED}/offer-blocks`, { who });
export const unblock = (id: number): Promise<unknown> => ocs('DELETE', `${UNWANTED}/offer-blocks/${id}`);
/** Reports an offer to the operators. */
export const reportOffer = (share: number, reason: string): Promise<unknown> =>
  ocs('POST', `${UNWANTED}/offer-reports`, { share: String(share), reason });
