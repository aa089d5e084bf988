/** App that clients see as the sender of this server's notifications. */
export const NOTIFYING_APP = 'files_sharing';

/** Kinds of objects in notifications, as clients know them. */
export const REMOTE_SHARE = 'remote_share';
/** A share that its recipient at a partner ended. */
export const ENDED_SHARE = 'ended_share';
/** A share with a person at a partner. */
export const SHARE_TO_PARTNER = 'federated_share';
/** A share that ends soon: its id, or that of a received share. */
export const EXPIRING_SHARE = 'expiring_share';
export const expiringReceived = (id: number | ''): string => `received:${id}`;
/** A request of a partner's user for a share of a node: the node's id, a colon, and the requester's cloud id. */
export const SHARE_REQUEST = 'share_request';
/** A request of the account to somebody at a partner for a share. */
export const SENT_SHARE_REQUEST = 'sent_share_request';
/** A share of a node that its initiator received. */
export const RESHARE = 'reshare';
/** A content that a partner refused. */
export const STORED_WRITE_OBJECT = 'stored_write';
