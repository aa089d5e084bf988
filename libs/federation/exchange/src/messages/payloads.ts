import { z } from 'zod';

const party = z.object({ uid: z.string(), displayName: z.string() });
/** An account of another instance, by its cloud id. */
const remoteParty = z.object({ cloudId: z.string(), displayName: z.string() });

/** Content of an offer; the id of its subject is our id of the share. */
export const offer = z.object({
  /** The recipient's cloud id, as it was written. */
  shareWith: z.string(),
  /** Absent for a person. */
  shareType: z.literal('group').optional(),
  name: z.string(),
  nodeKind: z.enum(['file', 'folder']),
  permissions: z.int(),
  /** `YYYY-MM-DD`, the last day; null for none. */
  expiresOn: z.string().nullable(),
  /** Note of its maker to the recipient; null, or absent in older messages, for none. */
  note: z.string().nullable().optional(),
  owner: party,
  /** Set by another instance if the share was requested there. */
  sender: z.union([party, remoteParty]),
});

/** Content of a message about a share that both sides know. */
export const notice = z.object({
  /** The share's id at the server that made it. */
  providerId: z.string(),
  /** The recipient's cloud id; null if it is not known. */
  grantee: z.string().nullable(),
});

/** Content of a message of a recipient who ends a share. */
export const decline = notice.extend({
  /** Text of the recipient; null, or absent in older messages, for none. */
  reason: z.string().nullable().optional(),
});

export const permissions = notice.extend({
  permissions: z.int(),
  /** `YYYY-MM-DD`, the last day; null for none. Absent if the message does not change it. */
  expiresOn: z.string().nullable().optional(),
  /** Note of its maker; null for none. Absent if the message does not change it. */
  note: z.string().nullable().optional(),
});

/** Content of a message about changed content; see `ChangedContent`. */
export const content = notice.extend({ etag: z.string(), size: z.number(), path: z.string() });

/** Content of a request for a reshare; the id of its subject is our id of the requested share. */
export const reshare = permissions.extend({
  shareWith: z.string(),
  /** Permissions of the received share, which a partner grants if it cannot be asked for fewer. */
  receivedPermissions: z.int(),
  /** The offer that we make if the owner's server leaves it to us, and its recipient's server. */
  instead: z.object({ peerId: z.int(), offer }),
});

/** Content of a request for a share. */
export const shareRequest = z.object({
  /** Cloud id of the one who is asked. */
  owner: z.string(),
  /** Our account that asks. */
  requesterUid: z.string(),
  /** Id or address of a file or folder at the partner. */
  resource: z.string(),
});

export type OfferPayload = z.infer<typeof offer>;
export type NoticePayload = z.infer<typeof notice>;
export type DeclinePayload = z.infer<typeof decline>;
export type PermissionsPayload = z.infer<typeof permissions>;
export type ContentPayload = z.infer<typeof content>;
export type ResharePayload = z.infer<typeof reshare>;
export type ShareRequestPayload = z.infer<typeof shareRequest>;

const granted = z.object({
  /** The share's id at the owner's server, which made it. */
  providerId: z.string(),
  /** Sealed, in base64. */
  sealedSecret: z.string(),
  /** The secret's lookup key, in base64. */
  secretHmac: z.string(),
  /** Whether the request could name the wanted permissions. */
  asRequested: z.boolean(),
  /** Whether we have to tell the recipient's server about the end, because the owner's server does not. */
  recipientIsOurs: z.boolean(),
});

/** Answer to a granted `reshare-request`, as its sender stores it. */
export type GrantedReply = z.infer<typeof granted>;

/** @throws ZodError for an answer that no sender stores: a bug */
export function readGrantedReply(reply: unknown): GrantedReply {
  return granted.parse(reply);
}
