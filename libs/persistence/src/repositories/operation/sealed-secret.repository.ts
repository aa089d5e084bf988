import type { SecretBox } from '#platform';
import type { Queryable } from '../../database';
import { array, bool, bytea, int4, int8, nullable, text, type PostgresType } from '../../postgres-types';
import { statement } from '../../statement';

interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** Its primary key, and the key's type. */
  readonly key: string;
  readonly keyType: 'bigint' | 'text' | 'boolean';
}

const of = (
  table: string,
  columns: readonly string[],
  key = 'id',
  keyType: SealedColumn['keyType'] = 'bigint',
) => columns.map((column): SealedColumn => ({ table, column, key, keyType }));

/** Every column with values that SecretBox sealed. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  ...of('instance', ['sealed_lookup_key'], 'only_row', 'boolean'),
  ...of('share', ['token_enc', 'granted_token_enc']),
  ...of('received_share', ['token_enc', 'access_token_enc', 'webapp_token_enc']),
  ...of('outbox_message', ['sealed_secret']),
  ...of('share_event', ['sealed_secret']),
  ...of('signing_key', ['sealed_private_key'], 'id', 'text'),
  ...of('invitation', ['sealed_token']),
  ...of('invitation_acceptance', ['sealed_token']),
  ...of('foreign_link', ['sealed_keys']),
  ...of('totp', ['sealed_secret'], 'uid', 'text'),
  ...of('trusted_handshake', ['sealed_own_token', 'sealed_partner_token', 'sealed_secret'], 'peer_id'),
];

/** Less than each key. */
const BEFORE_ALL: Readonly<Record<SealedColumn['keyType'], unknown>> = {
  bigint: 0,
  text: '',
  boolean: false,
};

/** Types of the primary keys. */
const KEY_TYPES: Readonly<Record<SealedColumn['keyType'], PostgresType<unknown>>> = {
  bigint: int8,
  text,
  boolean: bool,
};

/** Secrets of a column that are sealed with the present key, with the previous key, and with an unknown key. */
export interface SealedCount {
  readonly column: string;
  readonly current: number;
  readonly previous: number;
  readonly unreadable: number;
}

const BATCH = 500;
const MARK_BYTES = 5;

const STATEMENTS = SEALED_COLUMNS.map(({ table, column, key, keyType }) => ({
  // Also secrets with another mark, as null: if few were stale, Postgres would read the whole table for each part of it.
  next: statement({
    name: `sealed_secret.next_${table}_${column}`,
    params: { mark: bytea, last: KEY_TYPES[keyType] },
    row: { key: KEY_TYPES[keyType], stale: nullable(bytea) },
    sql: `SELECT ${key} AS key, CASE substring(${column} FROM 1 FOR ${MARK_BYTES}) WHEN :mark THEN ${column} END AS stale FROM ${table}
     WHERE ${column} IS NOT NULL AND ${key} > :last ORDER BY ${key} LIMIT ${BATCH}`,
  }),
  // Replaces only unchanged values: another writer has already sealed its new value with the present key.
  replace: statement({
    name: `sealed_secret.replace_${table}_${column}`,
    params: { keys: array(KEY_TYPES[keyType]), stale: array(nullable(bytea)), fresh: array(bytea) },
    sql: `UPDATE ${table} t SET ${column} = n.fresh FROM unnest(:keys::${keyType}[], :stale::bytea[], :fresh::bytea[]) AS n (key, stale, fresh)
     WHERE t.${key} = n.key AND t.${column} = n.stale`,
  }),
  count: statement({
    name: `sealed_secret.count_${table}_${column}`,
    row: { mark: bytea, rows: int4 },
    sql: `SELECT substring(${column} FROM 1 FOR ${MARK_BYTES}) AS mark, count(*)::int AS rows FROM ${table}
     WHERE ${column} IS NOT NULL GROUP BY 1`,
  }),
}));

/** All stored secrets, for a change of the encryption key. */
export class SealedSecretRepository {
  constructor(
    private readonly database: Queryable,
    private readonly secrets: SecretBox,
  ) {}

  /** Counts the secrets of every column by the key with which they are sealed. */
  async count(): Promise<SealedCount[]> {
    const [current, ...previous] = this.secrets.marks;
    const counts: SealedCount[] = [];
    for (const [at, { table, column }] of SEALED_COLUMNS.entries()) {
      const groups = await this.database.rows(STATEMENTS[at]!.count);
      const sum = (wanted: (mark: Buffer) => boolean): number =>
        groups.reduce((total, { mark, rows }) => total + (wanted(mark) ? rows : 0), 0);
      const isPrevious = (mark: Buffer): boolean => previous.some((other) => other.equals(mark));
      const known = { current: sum((mark) => mark.equals(current)), previous: sum(isPrevious) };
      const unreadable = sum(() => true) - known.current - known.previous;
      counts.push({ column: `${table}.${column}`, ...known, unreadable });
    }
    return counts;
  }

  /**
   * Seals all secrets of the previous key with the present one, some hundred rows at a time. Finished rows stay finished:
   * after an interruption, call it again.
   * @returns the number of resealed secrets
   */
  async sealAnew(): Promise<number> {
    let total = 0;
    for (const mark of this.secrets.marks.slice(1))
      for (let at = 0; at < SEALED_COLUMNS.length; at++) total += await this.sealColumnAnew(at, mark);
    return total;
  }

  private async sealColumnAnew(at: number, mark: Buffer): Promise<number> {
    const { next, replace } = STATEMENTS[at]!;
    let [total, last] = [0, BEFORE_ALL[SEALED_COLUMNS[at]!.keyType]];
    for (;;) {
      const rows = await this.database.rows(next, { mark, last });
      if (rows.length === 0) return total;
      const stale = rows.filter((row) => row.stale !== null);
      if (stale.length > 0)
        await this.database.rows(replace, {
          keys: stale.map(({ key }) => key),
          stale: stale.map((row) => row.stale),
          fresh: stale.map((row) => this.secrets.seal(this.secrets.open(row.stale!))),
        });
      [total, last] = [total + stale.length, rows.at(-1)!.key];
    }
  }
}
