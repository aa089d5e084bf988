import { Injectable } from '@nestjs/common';
import {
  SHARE_TYPES,
  STATE_NUMBERS,
  type Coverage,
  type CoveredShare,
  type InsertRefusal,
  type NewLinkShare,
  type NewRecipientShare,
  type NewShare,
  type OwnSharesFilter,
  type PageRequest,
  type ReceivedSharesFilter,
  type ReceivedSource,
  type Share,
  type ShareChange,
  type ShareOfPath,
  type ShareStore,
} from '#sharing';
import { SecretBox } from '#platform';
import { actingText } from '../../acting-text';
import { Database, violatesForeignKey, type Queryable } from '../../database';
import type { RowOf } from '../../postgres-types';
import { switchedValues } from '../../switched-values';
import { pathOfUser, toBarePlace, type BarePlace } from '../files/place-statements';
import { sharedNodeOf } from '../files/node-row';
import type { COVERAGE_ROW } from './coverage-sql';
import { FederatedShareWriter } from './federated-share-writer';
import { linkValues, madeOf, newlyMade, nodeValues, recipientValues, type MadeRow } from './new-share-values';
import { SOURCE_OF } from './reshare-statements';
import { shareOf, type ShareRow } from './share-row';
import * as sql from './share-statements';
import * as creations from './new-share-statements';
import * as writes from './share-write-statements';

const ALL_TYPES: readonly number[] = Object.values(SHARE_TYPES);

interface PlaceWithShare {
  readonly place?: BarePlace;
  readonly made?: Share | InsertRefusal;
  readonly coverage?: readonly Coverage[] | undefined;
}

/** Shares in Postgres: every list is one statement, whatever its length. */
@Injectable()
export class ShareRepository implements ShareStore {
  private readonly toShare: (row: ShareRow) => Share;
  readonly federated: FederatedShareWriter;

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
    const [row] = await this.database.rows(SOURCE_OF, { nodeId });
    if (!row) return undefined;
    const { received_share_id: receivedShareId, owner, is_root: isRoot } = row;
    return { receivedShareId, owner, isRoot, needsSecondFactor: row.needs_second_factor };
  }

  /** An expired share with the same recipient that was not removed yet does not prevent a new one. */
  private async insertOnce(share: NewRecipientShare): Promise<MadeRow | InsertRefusal> {
    const { node, type, recipient } = share;
    const [row] = await this.database.rows(creations.INSERT, {
      ...nodeValues(share),
      ...recipientValues(share),
    });
    const made = madeOf(row!);
    if (made !== 'duplicate') return made;
    const twin = { nodeId: node.nodeId, type, recipient };
    const removed = await this.database.rows(writes.REMOVE_EXPIRED_TWIN, twin);
    return removed.length > 0 ? this.insertOnce(share) : 'duplicate';
  }

  private async insertLink(share: NewLinkShare): Promise<MadeRow | InsertRefusal> {
    const values = { ...nodeValues(share), ...linkValues(share, this.secrets) };
    const [row] = await this.database.rows(creations.INSERT_LINK, values);
    return madeOf(row!);
  }

  /**
   * Looks up a path of the share's initiator, and shares its node if it is their own, in one statement.
   * @returns the place, unless the user has no storage yet; the share, or why it was not made, if this is such a node; and for a node of another
   * account of this instance the ways in which the user has it
   */
  async insertByPath(path: string, { share, permissions }: ShareOfPath): Promise<PlaceWithShare> {
    const wanted = {
      ...pathOfUser(share.initiatorUid, path),
      filePermissions: permissions.file ?? null,
      folderPermissions: permissions.folder ?? null,
    };
    try {
      const [row] =
        share.type === SHARE_TYPES.link
          ? await this.database.rows(creations.INSERT_LINK_BY_PATH, {
              ...wanted,
              ...linkValues(share, this.secrets),
            })
          : await this.database.rows(creations.INSERT_BY_PATH, { ...wanted, ...recipientValues(share) });
      if (!row) return {};
      const place = toBarePlace(row);
      if (row.gone === null) return { place, coverage: row.coverage?.map(toCoverage) };
      const made = madeOf(row);
      const whole = {
        ...share,
        node: sharedNodeOf(place.node!),
        permissions: permissions[place.node!.kind]!,
      };
      // An expired share may be in its way.
      if (made === 'duplicate') return { place, made: await this.insert(whole) };
      return { place, made: made === 'gone' ? made : newlyMade(whole, made) };
    } catch (error) {
      if (violatesForeignKey(error)) return { made: 'gone' };
      throw error;
    }
  }

  async find(id: number, viewerUid: string): Promise<Share | undefined> {
    if (!isPossible(id)) return undefined;
    const [row] = await this.database.rows(sql.FIND, { id, viewerUid });
    return row && this.toShare(row);
  }

  async findWithCoverage(id: number, viewerUid: string): Promise<CoveredShare | undefined> {
    if (!isPossible(id)) return undefined;
    const [row] = await this.database.rows(sql.FIND_WITH_COVERAGE, { id, viewerUid });
    return row && { share: this.toShare(row), coverage: row.coverage?.map(toCoverage) ?? [] };
  }

  async listOwn(uid: string, filter: OwnSharesFilter, page: PageRequest): Promise<Share[]> {
    return (await this.ownRows(uid, filter, page)).map(this.toShare);
  }

  /** Each way of listing has a statement of its own, and so its own plan. */
  private ownRows(
    uid: string,
    { types = ALL_TYPES, alsoOthersOfMine, nodeId, parentNodeId }: OwnSharesFilter,
    page: PageRequest,
  ): Promise<ShareRow[]> {
    const values = { uid, types, alsoOthersOfMine, ...placeOf(page) };
    if (parentNodeId !== undefined) {
      const afterName = page.after?.nodeName ?? '';
      return this.database.readRows(sql.LIST_OWN_OF_CHILDREN, { ...values, parentNodeId, afterName });
    }
    if (nodeId !== undefined) return this.database.readRows(sql.LIST_OWN_OF_NODE, { ...values, nodeId });
    return this.database.readRows(alsoOthersOfMine ? sql.LIST_OWN : sql.LIST_INITIATED, values);
  }

  async listReceived(
    uid: string,
    groups: readonly string[],
    filter: ReceivedSharesFilter,
    page: PageRequest,
    place?: () => Promise<boolean>,
  ): Promise<Share[]> {
    const state = filter.state === undefined ? null : STATE_NUMBERS[filter.state];
    const { types = ALL_TYPES, nodeId } = filter;
    const values = { uid, groups, state, types, ...placeOf(page) };
    const part = page.after ? sql.LIST_RECEIVED_AFTER : sql.LIST_RECEIVED;
    const read = () =>
      nodeId === undefined
        ? this.database.readRows(part, values)
        : this.database.readRows(sql.LIST_RECEIVED_OF_NODE, { ...values, nodeId });
    const rows = await read();
    // An empty list does not say whether shares without a place are missing.
    const isSettled = rows[0]?.is_unsettled === null;
    const found = place && !isSettled && (await place()) ? await read() : rows;
    return found.map(this.toShare);
  }

  async coverage(uid: string, nodeIds: readonly number[]): Promise<Coverage[]> {
    const rows = await this.database.rows(sql.COVERAGE, { uid, nodeIds });
    return rows.map(toCoverage);
  }

  async update(
    id: number,
    viewerUid: string,
    decide: (share: Share) => ShareChange,
  ): Promise<Share | undefined> {
    return this.database.transaction(async (transaction) => {
      const [row] = await transaction.rows(sql.FIND_LOCKED, { id, viewerUid });
      if (!row) return undefined;
      const share = this.toShare(row);
      const change = decide(share);
      await applyChange(transaction, id, change);
      if (share.type === SHARE_TYPES.federated) await this.federated.notifyChange(transaction, share, change);
      const [changed] = await transaction.rows(sql.FIND, { id, viewerUid });
      return changed && this.toShare(changed);
    });
  }

  async remove(id: number): Promise<boolean> {
    return (await this.database.rows(writes.REMOVE, { id, acting: actingText() })).length > 0;
  }

  async removeManaged(id: number, uid: string): Promise<boolean> {
    if (!isPossible(id)) return false;
    const values = { id, uid, acting: actingText() };
    return (await this.database.rows(writes.REMOVE_MANAGED, values)).length > 0;
  }

  /** Deletes at most `limit` expired shares; several processes take different ones. @returns how many */
  async removeExpired(limit: number): Promise<number> {
    return (await this.database.rows(writes.REMOVE_EXPIRED, { limit })).length;
  }
}

/** Postgres accepts no other numbers, and no share has another id. */
const isPossible = (id: number): boolean => Number.isSafeInteger(id) && id >= 1;

const toCoverage = (row: RowOf<typeof COVERAGE_ROW>): Coverage => ({
  shareId: row.share_id,
  nodeId: row.node_id,
  path: row.path,
  mountTarget: row.mount_target,
  permissions: row.permissions,
  attributes: row.attributes,
  requirements: row.requirements,
  direct: row.direct,
  folderId: row.folder_id,
});

/** Type and id behind which a page begins (before every share without `after`), and its limit. */
const placeOf = ({ after, limit }: PageRequest) => ({
  afterType: after?.shareType ?? -1,
  afterId: after?.shareId ?? 0,
  limit,
});

async function applyChange(transaction: Queryable, id: number, change: ShareChange): Promise<void> {
  if (Object.keys(change).length === 0) return;
  const { permissions, expiresOn, attributes, note, name, passwordHash } = change;
  await transaction.rows(writes.UPDATE, {
    id,
    permissions: permissions ?? null,
    ...switchedValues({ expiresOn, attributes, note, name, passwordHash }),
    acting: actingText(),
  });
}
