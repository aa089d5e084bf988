import { z } from 'zod';
import type { MessageKind } from './message';

const party = z.object({ uid: z.string(), displayName: z.string() });

/** What an offer says; the id of its subject is the share's id at ours. */
const offer = z.object({
  /** The recipient's cloud id, as it was written. */
  shareWith: z.string(),
  name: z.string(),
  nodeKind: z.enum(['file', 'folder']),
  permissions: z.int(),
  /** `YYYY-MM-DD`, the last day; null for none. */
  expiresOn: z.string().nullable(),
  owner: party,
  sender: party,
});

/** About a share that both sides know. */
const notice = z.object({
  /** The share's id at the server that gave it. */
  providerId: z.string(),
  /** The recipient's cloud id; null where it is not known. */
  grantee: z.string().nullable(),
});

const permissions = notice.extend({ permissions: z.int() });

const reshare = permissions.extend({
  shareWith: z.string(),
  /** Our id of the received share that is to be shared on. */
  askerShareId: z.string(),
});

export type OfferPayload = z.infer<typeof offer>;
export type NoticePayload = z.infer<typeof notice>;
export type PermissionsPayload = z.infer<typeof permissions>;
export type ResharePayload = z.infer<typeof reshare>;

/** A message's payload with the kind that gives it its shape. */
export type MessageContent =
  | { readonly kind: 'share-create'; readonly payload: OfferPayload }
  | { readonly kind: 'share-permissions' | 'reshare-permissions'; readonly payload: PermissionsPayload }
  | { readonly kind: 'reshare-request'; readonly payload: ResharePayload }
  | {
      readonly kind: 'share-unshare' | 'received-accept' | 'received-decline' | 'reshare-undo';
      readonly payload: NoticePayload;
    };

/** Reads what a message's writer put into it. @throws ZodError for what no writer puts there: a bug */
export function readContent(kind: MessageKind, payload: unknown): MessageContent {
  switch (kind) {
    case 'share-create':
      return { kind, payload: offer.parse(payload) };
    case 'share-permissions':
    case 'reshare-permissions':
      return { kind, payload: permissions.parse(payload) };
    case 'reshare-request':
      return { kind, payload: reshare.parse(payload) };
    case 'share-unshare':
    case 'received-accept':
    case 'received-decline':
    case 'reshare-undo':
      return { kind, payload: notice.parse(payload) };
  }
}
