/** App under which clients know the notifications of this server. */
export const NOTIFYING_APP = 'files_sharing';

/** Kinds of objects that notifications are about, as clients know them. */
export const REMOTE_SHARE = 'remote_share';
/** A share that its recipient at a partner ended. */
export const ENDED_SHARE = 'ended_share';
/** A share with somebody at a partner. */
export const SHARE_TO_PARTNER = 'federated_share';
/** A share that ends soon. */
export const EXPIRING_SHARE = 'expiring_share';
/** A share of something that its initiator received. */
export const RESHARE = 'reshare';
/** A content that a partner refused. */
export const STORED_WRITE_OBJECT = 'stored_write';
