import { Injectable } from '@nestjs/common';
import {
  SHARE_TYPES,
  STATE_NUMBERS,
  type Coverage,
  type InsertRefusal,
  type NewFederatedShare,
  type NewLinkShare,
  type NewRecipientShare,
  type NewShare,
  type OfferedShare,
  type OwnSharesFilter,
  type PageRequest,
  type ReceivedSharesFilter,
  type ReceivedSource,
  type Share,
  type ShareChange,
  type ShareStore,
} from '#sharing';
import { SecretBox } from '#platform';
import { Database, violatesForeignKey, type Queryable } from '../../database';
import { FederatedShareWriter } from './federated-share-writer';
import { SOURCE_OF } from './reshare-statements';
import { shareOf, type ShareRow } from './share-row';
import * as sql from './share-statements';

const ALL_TYPES: readonly number[] = Object.values(SHARE_TYPES);

interface Made {
  readonly id: number;
  readonly stime: number;
}

/** Shares in Postgres: every list is one statement, whatever its length. */
@Injectable()
export class ShareRepository implements ShareStore {
  private readonly toShare: (row: ShareRow) => Share;
  private readonly federated: FederatedShareWriter;

  constructor(
    private readonly database: Database,
    private readonly secrets: SecretBox,
  ) {
    const openToken = (sealed: Buffer): string => secrets.open(sealed);
    this.toShare = (row) => shareOf(row, openToken);
    this.federated = new FederatedShareWriter(database, secrets);
  }

  async insert(share: NewShare): Promise<Share | InsertRefusal> {
    try {
      const made =
        share.type === SHARE_TYPES.link ? await this.insertLink(share) : await this.insertOnce(share);
      return typeof made === 'string' ? made : newlyMade(share, made);
    } catch (error) {
      if (violatesForeignKey(error)) return 'gone';
      throw error;
    }
  }

  async sourceOf(nodeId: number): Promise<ReceivedSource | undefined> {
    const [row] = await this.database.rows(SOURCE_OF, [nodeId]);
    return row && { receivedShareId: row.received_share_id, owner: row.owner, isRoot: row.is_root };
  }

  insertFederated(share: NewFederatedShare): Promise<OfferedShare | InsertRefusal> {
    return this.federated.insert(share);
  }

  private async insertLink(share: NewLinkShare): Promise<Made | InsertRefusal> {
    const { node, shareToken } = share;
    const values = [
      node.nodeId,
      node.ownerUid,
      share.initiatorUid,
      share.permissions,
      share.fileTarget,
      share.expiresOn,
    ];
    const secrets = [this.secrets.lookup(shareToken), this.secrets.seal(shareToken), share.passwordHash];
    const rows = await this.database.rows(sql.INSERT_LINK, [
      ...values,
      share.attributes,
      ...secrets,
      share.name,
      peopleIn(share),
    ]);
    return rows[0] ?? 'gone';
  }

  /** An expired share with the same recipient that was not swept yet does not stand in the way. */
  private async insertOnce(share: NewRecipientShare): Promise<Made | InsertRefusal> {
    const { node, type, recipient } = share;
    const state = STATE_NUMBERS[share.initialState];
    const values = [type, node.nodeId, node.ownerUid, share.initiatorUid, recipient, share.permissions];
    const rest = [share.fileTarget, state, share.expiresOn, share.attributes, peopleIn(share)];
    const [made] = await this.database.rows(sql.INSERT, [...values, ...rest]);
    if (made!.gone) return 'gone';
    if (made!.id !== null) return { id: made!.id, stime: made!.stime };
    const removed = await this.database.rows(sql.REMOVE_EXPIRED_TWIN, [node.nodeId, type, recipient]);
    return removed.length > 0 ? this.insertOnce(share) : 'duplicate';
  }

  async find(id: number, viewerUid: string): Promise<Share | undefined> {
    // Nothing else can be asked of Postgres, and no share has another id.
    if (!Number.isSafeInteger(id) || id < 1) return undefined;
    const [row] = await this.database.rows(sql.FIND, [id, viewerUid]);
    return row && this.toShare(row);
  }

  async listOwn(uid: string, filter: OwnSharesFilter, page: PageRequest): Promise<Share[]> {
    const types = filter.types ?? ALL_TYPES;
    const plain =
      !filter.alsoOthersOfMine && filter.nodeId === undefined && filter.parentNodeId === undefined;
    const rows = plain
      ? await this.database.rows(sql.LIST_INITIATED, [uid, types, ...placeOf(page).slice(1)])
      : await this.database.rows(sql.LIST_OWN, [
          uid,
          types,
          filter.alsoOthersOfMine,
          filter.nodeId ?? null,
          filter.parentNodeId ?? null,
          ...placeOf(page),
        ]);
    return rows.map(this.toShare);
  }

  async listReceived(
    uid: string,
    groups: readonly string[],
    filter: ReceivedSharesFilter,
    page: PageRequest,
  ): Promise<Share[]> {
    const state = filter.state === undefined ? null : STATE_NUMBERS[filter.state];
    const values = [uid, groups, state, filter.types ?? ALL_TYPES, filter.nodeId ?? null];
    const rows = await this.database.rows(sql.LIST_RECEIVED, [...values, ...placeOf(page).slice(1)]);
    return rows.map(this.toShare);
  }

  async coverage(uid: string, nodeIds: readonly number[]): Promise<Coverage[]> {
    const rows = await this.database.rows(sql.COVERAGE, [uid, nodeIds]);
    return rows.map((row) => ({
      shareId: row.share_id,
      nodeId: row.node_id,
      path: row.path,
      mountTarget: row.mount_target,
      permissions: row.permissions,
      attributes: row.attributes,
      requirements: row.requirements,
      direct: row.direct,
      folderId: row.folder_id,
    }));
  }

  async sharedWithGroupOf(nodeId: number, groups: readonly string[], ownerUid: string): Promise<boolean> {
    return (await this.database.rows(sql.SHARED_WITH_GROUP, [nodeId, groups, ownerUid]))[0]!.found;
  }

  async update(
    id: number,
    viewerUid: string,
    decide: (share: Share) => ShareChange,
  ): Promise<Share | undefined> {
    return this.database.transaction(async (transaction) => {
      const [row] = await transaction.rows(sql.FIND_LOCKED, [id, viewerUid]);
      if (!row) return undefined;
      const share = this.toShare(row);
      const change = decide(share);
      await applyChange(transaction, id, change);
      if (share.type === SHARE_TYPES.federated) await this.federated.notifyChange(transaction, share, change);
      const [changed] = await transaction.rows(sql.FIND, [id, viewerUid]);
      return changed && this.toShare(changed);
    });
  }

  async remove(id: number): Promise<boolean> {
    return (await this.database.rows(sql.REMOVE, [id])).length > 0;
  }

  /** Deletes at most `limit` expired shares; of several processes each takes others. @returns how many */
  async removeExpired(limit: number): Promise<number> {
    return (await this.database.rows(sql.REMOVE_EXPIRED, [limit])).length;
  }
}

/** The accounts without which a share cannot be. */
function peopleIn(share: NewRecipientShare | NewLinkShare): string[] {
  const recipients = share.type === SHARE_TYPES.user ? [share.recipient] : [];
  return [...new Set([share.node.ownerUid, share.initiatorUid, ...recipients])];
}

/** A place that comes before every share. */
const START = { nodeName: '', shareType: -1, shareId: 0 };

/** Name, type and id behind which a page begins, and its limit. */
function placeOf({ after, limit }: PageRequest): (string | number)[] {
  const { nodeName, shareType, shareId } = after ?? START;
  return [nodeName, shareType, shareId, limit];
}

async function applyChange(transaction: Queryable, id: number, change: ShareChange): Promise<void> {
  if (Object.keys(change).length === 0) return;
  const { permissions, expiresOn, attributes, name, passwordHash } = change;
  await transaction.rows(sql.UPDATE, [
    id,
    permissions ?? null,
    ...optional(expiresOn),
    ...optional(attributes),
    ...optional(name),
    ...optional(passwordHash),
  ]);
}

/** Whether a column changes, and to what; null is a value. */
const optional = <T>(value: T | undefined): [boolean, T | null] => [value !== undefined, value ?? null];

/** The share as reading it back would give it, without reading. */
function newlyMade(share: NewShare, made: Made): Share {
  const { node, initiatorUid, permissions, expiresOn, attributes, fileTarget } = share;
  const shared = { node, initiatorUid, permissions, expiresOn, attributes, fileTarget };
  const base = { ...shared, id: made.id, createdAtSeconds: made.stime, mailSent: false };
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
