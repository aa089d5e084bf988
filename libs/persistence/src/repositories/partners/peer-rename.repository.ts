import { movedIdPattern, movedSpellings, type PartnerMove } from '#federation/exchange';
import type { Database, Queryable } from '../../database';
import * as statements from './peer-rename-statements';
import type { MovedShareRow, RenamePlan } from './peer-rename-statements';
import { ShareEventRepository } from '../deliveries/share-event.repository';
import { actingText } from '../../acting-text';

/** Old and new host. */
type Hosts = Pick<PartnerMove, 'from' | 'to'>;

interface Ends {
  readonly fromId: number;
  readonly toId: number;
}

/** Renames a partner that moved to another host. */
export class PeerRenameRepository {
  constructor(private readonly database: Database) {}

  /** @returns undefined if the old host is unknown; `isDone` if it already leads to the new one */
  async find({ from, to }: Hosts): Promise<{ readonly isDone: boolean } | undefined> {
    const [[old], [known]] = await Promise.all([this.row(from), this.row(to)]);
    return old && { isDone: known !== undefined && old.aliasOf === known.id };
  }

  /** Counts the rows that a rename would move, and moves none. */
  async plan({ from, to }: Hosts): Promise<RenamePlan> {
    const [[old], [known]] = await Promise.all([this.row(from), this.row(to)]);
    const [plan] = await this.database.rows(statements.PLAN, {
      fromId: old?.id ?? null,
      toId: known?.id ?? null,
      idPattern: movedIdPattern(from),
    });
    return plan!;
  }

  /**
   * Accepted received shares of the old host, with the values for the new one. An unknown new host is stored as a
   * partner.
   */
  async samples(move: PartnerMove, limit: number): Promise<MovedShareRow[]> {
    const { fromId, toId } = await this.ends(move);
    return this.database.rows(statements.SAMPLES, {
      fromId,
      toId,
      addressPattern: movedSpellings(move).addressPattern,
      baseUrl: move.baseUrl,
      limit,
    });
  }

  /** Moves everything in one transaction. A repetition finds nothing to do. @returns counts of the moved rows */
  async rename(move: PartnerMove): Promise<RenamePlan> {
    const ends = await this.ends(move);
    // Their messages are then moved, too.
    await new ShareEventRepository(this.database).handleAll();
    return this.database.transaction((transaction) => renameIn(transaction, move, ends));
  }

  private row(hostKey: string): Promise<{ id: number; aliasOf: number | null }[]> {
    return this.database.rows(statements.FIND, { hostKey });
  }

  private async ends({ from, to }: Hosts): Promise<Ends> {
    await this.database.rows(statements.ENTER, { to });
    const [[old], [known]] = await Promise.all([this.row(from), this.row(to)]);
    if (!old || !known) throw new Error(`there is no partner ${from}`);
    return { fromId: old.id, toId: known.id };
  }
}

async function renameIn(
  transaction: Queryable,
  move: PartnerMove,
  { fromId, toId }: Ends,
): Promise<RenamePlan> {
  const { idPattern, newHost, canonicalFrom, canonicalTo, addressPattern } = movedSpellings(move);
  await transaction.rows(statements.LOCK, { fromId, toId });
  const [plan] = await transaction.rows(statements.PLAN, { fromId, toId, idPattern });
  await transaction.rows(statements.MOVE_SHARES, {
    fromId,
    toId,
    idPattern,
    newHost,
    canonicalFrom,
    canonicalTo,
  });
  await transaction.rows(statements.MOVE_RECEIVED, {
    fromId,
    toId,
    idPattern,
    newHost,
    addressPattern,
    baseUrl: move.baseUrl,
  });
  await transaction.rows(statements.MOVE_SENDERS, {
    idPattern,
    newHost,
  });
  await transaction.rows(statements.MOVE_MESSAGES, {
    fromId,
    toId,
    idPattern,
    newHost,
  });
  await transaction.rows(statements.MOVE_STORED_WRITES, { fromId, toId });
  const canonicals = { canonicalFrom, canonicalTo };
  await transaction.rows(statements.END_DOUBLE_MEMBERS, { fromId, ...canonicals, acting: actingText() });
  await transaction.rows(statements.MOVE_MEMBERS, { fromId, toId, idPattern, newHost, ...canonicals });
  await transaction.rows(statements.MOVE_GROUP_RECIPIENTS, { idPattern, newHost, ...canonicals });
  await transaction.rows(statements.MOVE_TRASHED_OFFERS, { idPattern, newHost, ...canonicals });
  await transaction.rows(statements.HAND_ON_TRUST, { fromId, toId, acting: actingText() });
  await transaction.rows(statements.POINT_TO, { fromId, toId, acting: actingText() });
  await transaction.rows(statements.WAKE_RELAYS);
  return plan!;
}
