import type { SecretBox } from '#platform';
import {
  SHARE_TYPES,
  STATE_NUMBERS,
  type InsertRefusal,
  type NewLinkShare,
  type NewRecipientShare,
  type NewShare,
  type Share,
} from '#sharing';
import { actingText } from '../../acting-text';

type WithoutNode<Of> = Omit<Of, 'node' | 'permissions'>;

/** The columns that only the node of a new share determines. */
export const nodeValues = ({ node, permissions }: NewShare) => ({
  nodeId: node.nodeId,
  ownerUid: node.ownerUid,
  permissions,
});

export const recipientValues = (share: WithoutNode<NewRecipientShare> & Partial<Pick<NewShare, 'node'>>) => ({
  type: share.type,
  initiatorUid: share.initiatorUid,
  recipient: share.recipient,
  fileTarget: share.fileTarget,
  initialState: STATE_NUMBERS[share.initialState],
  expiresOn: share.expiresOn,
  attributes: share.attributes,
  note: share.note,
  people: peopleIn(share, share.type === SHARE_TYPES.user ? [share.recipient] : []),
  acting: actingText(),
});

export const linkValues = (
  share: WithoutNode<NewLinkShare> & Partial<Pick<NewShare, 'node'>>,
  secrets: SecretBox,
) => ({
  initiatorUid: share.initiatorUid,
  fileTarget: share.fileTarget,
  expiresOn: share.expiresOn,
  attributes: share.attributes,
  note: share.note,
  tokenHmac: secrets.lookup(share.shareToken),
  tokenEnc: secrets.seal(share.shareToken),
  passwordHash: share.passwordHash,
  name: share.name,
  people: peopleIn(share, []),
  acting: actingText(),
});

/** The accounts that must exist for a share. Without a node, its initiator is the owner. */
function peopleIn(
  { node, initiatorUid }: Pick<NewShare, 'initiatorUid'> & Partial<Pick<NewShare, 'node'>>,
  recipients: readonly string[],
): string[] {
  return [...new Set([node?.ownerUid ?? initiatorUid, initiatorUid, ...recipients])];
}

/** Values that the database gives a new share. */
export interface MadeRow {
  readonly shareId: number;
  readonly stime: number;
}

/** The result of a statement that inserts a share. */
export function madeOf(row: {
  readonly shareId: number | null;
  readonly stime: number | null;
  readonly gone: boolean | null;
}): MadeRow | InsertRefusal {
  if (row.gone) return 'gone';
  return row.shareId === null ? 'duplicate' : { shareId: row.shareId, stime: row.stime! };
}

/** The share as a read would return it, built without reading. */
export function newlyMade(share: NewShare, made: MadeRow): Share {
  const { node, initiatorUid, permissions, expiresOn, attributes, note, fileTarget } = share;
  const shared = { node, initiatorUid, permissions, expiresOn, attributes, note, fileTarget };
  const base = { ...shared, id: made.shareId, createdAtSeconds: made.stime, mailSent: false };
  switch (share.type) {
    case SHARE_TYPES.link: {
      const { shareToken, name } = share;
      return { ...base, type: SHARE_TYPES.link, shareToken, name, hasPassword: share.passwordHash !== null };
    }
    case SHARE_TYPES.user: {
      const personal = { state: share.initialState, target: null, folderId: null };
      return { ...base, type: SHARE_TYPES.user, recipientUid: share.recipient, personal };
    }
    case SHARE_TYPES.group: {
      const { recipient, initialState } = share;
      return { ...base, type: SHARE_TYPES.group, recipientGid: recipient, initialState, personal: undefined };
    }
  }
}
