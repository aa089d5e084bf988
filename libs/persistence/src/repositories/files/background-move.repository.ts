import type { Queryable } from '../../database';
import { bool, float8, int4, int8, jsonb, jsonText, nullable, text, uuid } from '../../postgres-types';
import { statement } from '../../statement';

/** Result of a move: a file, or a refusal. */
export type MoveOutcome =
  | { readonly status: 'finished'; readonly fileId?: string; readonly ETag?: string }
  | { readonly status: 'error'; readonly errorCode: number; readonly errorMessage: string };

const INSERT = statement({
  name: 'background_move.insert',
  params: { id: uuid, uid: text },
  sql: 'INSERT INTO background_move (id, uid) VALUES (:id, :uid)',
});

const TOUCH = statement({
  name: 'background_move.touch',
  params: { id: uuid },
  sql: 'UPDATE background_move SET seen_at = now() WHERE id = :id',
});

const END = statement({
  name: 'background_move.end',
  params: { id: uuid, outcome: jsonText },
  sql: 'UPDATE background_move SET outcome = :outcome, seen_at = now() WHERE id = :id',
});

const FIND = statement({
  name: 'background_move.find',
  params: { id: uuid, uid: text, silentSeconds: float8 },
  row: { outcome: nullable(jsonb<MoveOutcome>()), isSilent: bool },
  sql: `SELECT outcome, seen_at < now() - make_interval(secs => :silentSeconds) AS "isSilent"
   FROM background_move WHERE id = :id AND uid = :uid`,
});

const REMOVE_OLD = statement({
  name: 'background_move.remove_old',
  params: { hours: int4, limit: int8 },
  row: { id: uuid },
  sql: `DELETE FROM background_move WHERE id = ANY (ARRAY(
     SELECT id FROM background_move WHERE seen_at < now() - make_interval(hours => :hours)
     ORDER BY seen_at LIMIT :limit FOR UPDATE SKIP LOCKED
   )) RETURNING id`,
});

/** Stores the state of moves that continue after their answer, for all replicas. */
export class BackgroundMoveRepository {
  constructor(private readonly database: Queryable) {}

  async begin(id: string, uid: string): Promise<void> {
    await this.database.rows(INSERT, { id, uid });
  }

  /** A sign of life from the replica that works on it. */
  async touch(id: string): Promise<void> {
    await this.database.rows(TOUCH, { id });
  }

  async end(id: string, outcome: MoveOutcome): Promise<void> {
    await this.database.rows(END, { id, outcome: JSON.stringify(outcome) });
  }

  /** @returns undefined if the user has no such move; `isSilent` if its replica gave no sign of life for this time */
  async find(
    uid: string,
    id: string,
    silentSeconds: number,
  ): Promise<{ readonly outcome: MoveOutcome | null; readonly isSilent: boolean } | undefined> {
    return (await this.database.rows(FIND, { uid, id, silentSeconds }))[0];
  }

  /** @returns how many were removed */
  async removeOld(hours: number, limit: number): Promise<number> {
    return (await this.database.rows(REMOVE_OLD, { hours, limit })).length;
  }
}
