import { z } from 'zod';

const party = z.object({ uid: z.string(), displayName: z.string() });
/** An account of another instance, by its cloud id. */
const remoteParty = z.object({ cloudId: z.string(), displayName: z.string() });

/** Content of an offer; the id of its subject is the share's id at ours. */
export const offer = z.object({
  /** The recipient's cloud id, as it was written. */
  shareWith: z.string(),
  name: z.string(),
  nodeKind: z.enum(['file', 'folder']),
  permissions: z.int(),
  /** `YYYY-MM-DD`, the last day; null for none. */
  expiresOn: z.string().nullable(),
  /** Words of its maker to the recipient; null, or absent in older messages, for none. */
  note: z.string().nullable().optional(),
  owner: party,
  /** Of another instance where the share was asked for there. */
  sender: z.union([party, remoteParty]),
});

/** About a share that both sides know. */
export const notice = z.object({
  /** The share's id at the server that gave it. */
  providerId: z.string(),
  /** The recipient's cloud id; null where it is not known. */
  grantee: z.string().nullable(),
});

/** Of a recipient who ends it. */
export const decline = notice.extend({
  /** Words of the recipient; null, or absent in older messages, for none. */
  reason: z.string().nullable().optional(),
});

export const permissions = notice.extend({
  permissions: z.int(),
  /** `YYYY-MM-DD`, the last day; null for none. Absent where nothing is said of it. */
  expiresOn: z.string().nullable().optional(),
  /** Words of its maker; null for none. Absent where nothing is said of it. */
  note: z.string().nullable().optional(),
});

/** Content of a share after a change; see `ChangedContent`. */
export const content = notice.extend({ etag: z.string(), size: z.number(), path: z.string() });

/** The id of its subject is the id of the share that is asked for at ours. */
export const reshare = permissions.extend({
  shareWith: z.string(),
  /** Permissions of the received share: a partner that cannot be sent fewer permissions gives these. */
  receivedPermissions: z.int(),
  /** The offer that we make where the owner's server leaves it to us, and to whom. */
  instead: z.object({ peerId: z.int(), offer }),
});

export type OfferPayload = z.infer<typeof offer>;
export type NoticePayload = z.infer<typeof notice>;
export type DeclinePayload = z.infer<typeof decline>;
export type PermissionsPayload = z.infer<typeof permissions>;
export type ContentPayload = z.infer<typeof content>;
export type ResharePayload = z.infer<typeof reshare>;

const granted = z.object({
  /** Of the share that its owner's server made. */
  providerId: z.string(),
  /** Sealed, base64. */
  sealedSecret: z.string(),
  /** The secret's lookup key, base64. */
  secretHmac: z.string(),
  /** Whether it could be told which permissions were asked for. */
  asRequested: z.boolean(),
  /** Whether it is on us to tell the recipient's server of the end: the owner's server does not. */
  recipientIsOurs: z.boolean(),
});

/** Answer to a granted `reshare-request`, as its sender keeps it. */
export type GrantedReply = z.infer<typeof granted>;

/** @throws ZodError for what no sender keeps: a bug */
export function readGrantedReply(reply: unknown): GrantedReply {
  return granted.parse(reply);
}
