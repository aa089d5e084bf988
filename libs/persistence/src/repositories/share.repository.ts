import { Injectable } from '@nestjs/common';
import {
  SHARE_TYPES,
  STATE_NUMBERS,
  type Coverage,
  type NewShare,
  type OwnSharesFilter,
  type ReceivedSharesFilter,
  type Share,
  type ShareChange,
  type ShareStore,
} from '#sharing';
import { Database, violatesForeignKey, type Queryable } from '../database';
import { shareOf } from './share-row';
import * as sql from './share-statements';

const LOCAL_TYPES: readonly number[] = [SHARE_TYPES.user, SHARE_TYPES.group];
/** Ids beyond this cannot be asked of Postgres; no share has one. */
const MAX_ID = Number.MAX_SAFE_INTEGER;

/** Shares in Postgres: every list is one statement, whatever its length. */
@Injectable()
export class ShareRepository implements ShareStore {
  constructor(private readonly database: Database) {}

  async insert(share: NewShare): Promise<Share | undefined> {
    const made = (await this.tryInsert(share)) ?? (await this.insertOverExpired(share));
    return made && newlyMade(share, made.id, made.stime);
  }

  private async tryInsert(share: NewShare): Promise<{ id: number; stime: number } | undefined> {
    const state = STATE_NUMBERS[share.initialState];
    try {
      const values = [share.type, share.node.nodeId, share.node.ownerUid, share.initiatorUid, share.recipient];
      const rest = [share.permissions, share.fileTarget, state, share.expiresOn, share.attributes];
      return (await this.database.rows(sql.INSERT, [...values, ...rest]))[0];
    } catch (error) {
      if (violatesForeignKey(error)) return undefined;
      throw error;
    }
  }

  /** An expired share that was not swept yet does not stand in the way. */
  private async insertOverExpired(share: NewShare): Promise<{ id: number; stime: number } | undefined> {
    const twin = [share.node.nodeId, share.type, share.recipient];
    const removed = await this.database.rows(sql.REMOVE_EXPIRED_TWIN, twin);
    return removed.length > 0 ? this.tryInsert(share) : undefined;
  }

  async find(id: number, viewerUid: string): Promise<Share | undefined> {
    if (!(id > 0 && id < MAX_ID)) return undefined;
    const [row] = await this.database.rows(sql.FIND, [id, viewerUid]);
    return row && shareOf(row);
  }

  async listOwn(uid: string, filter: OwnSharesFilter): Promise<Share[]> {
    const types = filter.types ?? LOCAL_TYPES;
    const plain = !filter.alsoOthersOfMine && filter.nodeId === undefined && filter.parentNodeId === undefined;
    const rows = plain
      ? await this.database.rows(sql.LIST_INITIATED, [uid, types])
      : await this.database.rows(sql.LIST_OWN, [
          uid,
          types,
          filter.alsoOthersOfMine,
          filter.nodeId ?? null,
          filter.parentNodeId ?? null,
        ]);
    return rows.map(shareOf);
  }

  async listReceived(uid: string, groups: readonly string[], filter: ReceivedSharesFilter): Promise<Share[]> {
    const state = filter.state === undefined ? null : STATE_NUMBERS[filter.state];
    const values = [uid, groups, state, filter.types ?? LOCAL_TYPES, filter.nodeId ?? null];
    return (await this.database.rows(sql.LIST_RECEIVED, values)).map(shareOf);
  }

  async coverage(uid: string, nodeIds: readonly number[]): Promise<Coverage[]> {
    const rows = await this.database.rows(sql.COVERAGE, [uid, nodeIds]);
    return rows.map((row) => ({
      nodeId: row.node_id,
      path: row.path,
      mountTarget: row.mount_target,
      permissions: row.permissions,
      attributes: row.attributes,
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
    decide: (share: Share) => Promise<ShareChange>,
  ): Promise<Share | undefined> {
    return this.database.transaction(async (transaction) => {
      const [row] = await transaction.rows(sql.FIND_LOCKED, [id, viewerUid]);
      if (!row) return undefined;
      await applyChange(transaction, id, await decide(shareOf(row)));
      const [changed] = await transaction.rows(sql.FIND, [id, viewerUid]);
      return changed && shareOf(changed);
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

async function applyChange(transaction: Queryable, id: number, change: ShareChange): Promise<void> {
  const { permissions, expiresOn, attributes } = change;
  if (permissions === undefined && expiresOn === undefined && attributes === undefined) return;
  await transaction.rows(sql.UPDATE, [
    id,
    permissions ?? null,
    expiresOn !== undefined,
    expiresOn ?? null,
    attributes !== undefined,
    attributes ?? null,
  ]);
}

/** The share as reading it back would give it, without reading. */
function newlyMade(share: NewShare, id: number, createdAtSeconds: number): Share {
  const { node, initiatorUid, permissions, expiresOn, attributes, fileTarget } = share;
  const base = { id, initiatorUid, node, permissions, expiresOn, createdAtSeconds, attributes, fileTarget, mailSent: false };
  if (share.type === SHARE_TYPES.user) {
    const personal = { state: share.initialState, target: null, folderId: null };
    return { ...base, type: SHARE_TYPES.user, recipientUid: share.recipient, personal };
  }
  return {
    ...base,
    type: SHARE_TYPES.group,
    recipientGid: share.recipient,
    initialState: share.initialState,
    personal: undefined,
  };
}
