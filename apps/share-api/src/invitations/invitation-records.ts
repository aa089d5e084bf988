import type { ContactRow, InvitationRow } from '#persistence';
import type { MadeInvitation } from './user-invitations';

/** UNIX seconds, as everywhere in this API. */
const seconds = (date: Date): number => Math.floor(date.getTime() / 1000);

/** An invitation for its maker, with the field names of OpenCloud. */
export const invitationRecord = ({ id, description, expiresAt }: InvitationRow) => ({
  id,
  description,
  expiration: seconds(expiresAt),
});

/** The same, with the token for accepting it, which is shown only once. */
export const madeInvitationRecord = ({ row, token, text, link }: MadeInvitation) => ({
  ...invitationRecord(row),
  token,
  invitation: text,
  link,
});

/** A contact for users; `share_with` is the recipient of a share with them. */
export const contactRecord = ({ id, hostKey, remoteUser, displayName, email, createdAt }: ContactRow) => ({
  id,
  user_id: remoteUser,
  idp: hostKey,
  share_with: `${remoteUser}@${hostKey}`,
  display_name: displayName,
  mail: email,
  since: seconds(createdAt),
});
