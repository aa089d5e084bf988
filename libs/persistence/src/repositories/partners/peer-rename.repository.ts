import type { Database, Queryable } from '../../database';
import * as statements from './peer-rename-statements';
import type { MovedShareRow, RenamePlan } from './peer-rename-statements';
import { actingText } from '../../acting-text';

/** From which host to which, as canonical hosts, and where the new one is reached. */
export interface PeerMove {
  readonly from: string;
  readonly to: string;
  /** `https://host[:port][/path]` of the new one. */
  readonly baseUrl: string;
}

interface Ends {
  readonly fromId: number;
  readonly toId: number;
}

/** A partner that is found at another host from now on. */
export class PeerRenameRepository {
  constructor(private readonly database: Database) {}

  /** @returns undefined where the old host is not known; `isDone` where it leads to the new one already */
  async find({ from, to }: PeerMove): Promise<{ readonly isDone: boolean } | undefined> {
    const [[old], [known]] = await Promise.all([this.row(from), this.row(to)]);
    return old && { isDone: known !== undefined && old.aliasOf === known.id };
  }

  /** Counts the rows that would be moved, and moves none. */
  async plan(move: PeerMove): Promise<RenamePlan> {
    const [[old], [known]] = await Promise.all([this.row(move.from), this.row(move.to)]);
    const [plan] = await this.database.rows(statements.PLAN, {
      fromId: old?.id ?? null,
      toId: known?.id ?? null,
      idPattern: idPattern(move),
    });
    return plan!;
  }

  /**
   * Accepted received shares of the old host, as the new one would have them. The new host is entered as a partner where
   * it is none yet.
   */
  async samples(move: PeerMove, limit: number): Promise<MovedShareRow[]> {
    const { fromId, toId } = await this.ends(move);
    return this.database.rows(statements.SAMPLES, {
      fromId,
      toId,
      addressPattern: addressPattern(move),
      baseUrl: move.baseUrl,
      limit,
    });
  }

  /** Moves everything in one transaction; repeated, it finds nothing to do. @returns what was moved */
  async rename(move: PeerMove): Promise<RenamePlan> {
    const ends = await this.ends(move);
    return this.database.transaction((transaction) => renameIn(transaction, move, ends));
  }

  private row(hostKey: string): Promise<{ id: number; aliasOf: number | null }[]> {
    return this.database.rows(statements.FIND, { hostKey });
  }

  private async ends({ from, to }: PeerMove): Promise<Ends> {
    await this.database.rows(statements.ENTER, { to });
    const [[old], [known]] = await Promise.all([this.row(from), this.row(to)]);
    if (!old || !known) throw new Error(`there is no partner ${from}`);
    return { fromId: old.id, toId: known.id };
  }
}

async function renameIn(transaction: Queryable, move: PeerMove, { fromId, toId }: Ends): Promise<RenamePlan> {
  await transaction.rows(statements.LOCK, { fromId, toId });
  const [plan] = await transaction.rows(statements.PLAN, { fromId, toId, idPattern: idPattern(move) });
  await transaction.rows(statements.MOVE_SHARES, {
    fromId,
    toId,
    idPattern: idPattern(move),
    newHost: `@${spelledHost(move)}`,
    canonicalFrom: `@${move.from}`,
    canonicalTo: `@${move.to}`,
  });
  await transaction.rows(statements.MOVE_RECEIVED, {
    fromId,
    toId,
    idPattern: idPattern(move),
    newHost: `@${spelledHost(move)}`,
    addressPattern: addressPattern(move),
    baseUrl: move.baseUrl,
  });
  await transaction.rows(statements.MOVE_SENDERS, {
    idPattern: idPattern(move),
    newHost: `@${spelledHost(move)}`,
  });
  await transaction.rows(statements.MOVE_MESSAGES, {
    fromId,
    toId,
    idPattern: idPattern(move),
    newHost: `@${spelledHost(move)}`,
  });
  await transaction.rows(statements.HAND_ON_TRUST, { fromId, toId, acting: actingText() });
  await transaction.rows(statements.POINT_TO, { fromId, toId, acting: actingText() });
  await transaction.rows(statements.WAKE_RELAYS);
  return plan!;
}

/** As it is written in a cloud id: with the scheme only where it is not the usual one. */
function spelledHost({ to, baseUrl }: PeerMove): string {
  return baseUrl.startsWith('https:') ? to : `http://${to}`;
}

/** The end of a cloud id at the old host, in every spelling under which one is kept. */
const idPattern = ({ from }: PeerMove): string => `@(https?://)?${escaped(from)}(/index\\.php[^@]*)?/*$`;

const addressPattern = ({ from }: PeerMove): string => `^https?://${escaped(from)}(?=/|$)`;

const escaped = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '\\$&');
