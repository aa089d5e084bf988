import { Injectable } from '@nestjs/common';
import type { Repository } from 'typeorm';
import { actingText } from '../../acting-text';
import { Database, violatesForeignKey } from '../../database';
import { AppPasswordEntity } from '../../entities/accounts/app-password.entity';
import type { Strength } from '../../entities/accounts/strength';
import {
  array,
  bool,
  bytea,
  float8,
  int8,
  nullable,
  text,
  textOf,
  timestamptz,
  type RowOf,
} from '../../postgres-types';
import { selected } from '../../selected';
import { ACTING, statement } from '../../statement';

/** Maximum number of app passwords per account. */
const MOST_OF_ACCOUNT = 200;
/** Days for which expired ones stay in the list of their account. */
const SHOWN_EXPIRED_DAYS = 30;

/** An app password, as requests use it. */
const LIVE = {
  id: int8,
  uid: text,
  scopes: array(text),
  readOnly: bool,
  expiresAt: nullable(timestamptz),
  usedAt: nullable(timestamptz),
  strength: textOf<Strength>(),
};
export type LiveAppPassword = RowOf<typeof LIVE>;

const COLUMNS = {
  id: true,
  name: true,
  scopes: true,
  readOnly: true,
  expiresAt: true,
  createdAt: true,
  usedAt: true,
} as const;
/** An app password as its account sees it. */
export type AppPasswordRow = Readonly<Pick<AppPasswordEntity, keyof typeof COLUMNS>>;

/** Properties of an app password that the account sets. */
export type AppPasswordChoice = Readonly<
  Pick<AppPasswordEntity, 'name' | 'readOnly' | 'expiresAt'> & { scopes: readonly string[] }
>;

type Which = Readonly<{ uid: string; id?: number }>;
type Rows = Repository<AppPasswordEntity>;

const FIND = statement({
  name: 'app_password.find',
  isShortRead: true,
  params: { secretHash: bytea },
  row: LIVE,
  sql: `SELECT id, uid, scopes, read_only AS "readOnly", expires_at AS "expiresAt", used_at AS "usedAt", strength FROM app_password
   WHERE secret_hash = :secretHash AND (expires_at IS NULL OR expires_at > now())`,
});
const STILL_LIVE = statement({
  name: 'app_password.still_live',
  params: { ids: array(int8) },
  row: LIVE,
  sql: `SELECT id, uid, scopes, read_only AS "readOnly", expires_at AS "expiresAt", used_at AS "usedAt", strength FROM app_password
   WHERE id = ANY(:ids::bigint[]) AND (expires_at IS NULL OR expires_at > now())`,
});
const NOTE_USE = statement({
  name: 'app_password.note_use',
  params: { ids: array(int8), seconds: float8 },
  // A locked row is already being noted, changed or removed by another statement.
  sql: `UPDATE app_password SET used_at = now() WHERE id IN (
     SELECT id FROM app_password
     WHERE id = ANY(:ids::bigint[]) AND (used_at IS NULL OR used_at < now() - make_interval(secs => :seconds))
     FOR UPDATE SKIP LOCKED)`,
});
const CREATE = statement({
  name: 'app_password.create',
  params: {
    uid: text,
    secretHash: bytea,
    name: text,
    scopes: array(text),
    readOnly: bool,
    expiresAt: nullable(timestamptz),
    strength: text,
    acting: text,
  },
  row: { id: int8 },
  sql: `WITH swept AS (DELETE FROM app_password WHERE uid = :uid AND expires_at < now() - interval '${SHOWN_EXPIRED_DAYS} days')
   INSERT INTO app_password (uid, secret_hash, name, scopes, read_only, expires_at, strength)
   SELECT :uid, :secretHash, :name, :scopes::text[], :readOnly, :expiresAt, :strength
   WHERE (SELECT count(*) FROM app_password WHERE uid = :uid) < ${MOST_OF_ACCOUNT} AND ${ACTING}
   RETURNING id`,
});

/** Passwords for single clients. They end with their account. */
@Injectable()
export class AppPasswordRepository {
  private readonly appPasswords;

  constructor(private readonly database: Database) {
    this.appPasswords = database.reader(AppPasswordEntity);
  }

  /** The app password with this secret, unless it has expired. */
  async find(secretHash: Buffer): Promise<LiveAppPassword | undefined> {
    return (await this.database.rows(FIND, { secretHash }))[0];
  }

  /** App passwords of this list that exist and have not expired. */
  stillLive(ids: readonly number[]): Promise<LiveAppPassword[]> {
    return this.database.rows(STILL_LIVE, { ids });
  }

  /** Notes their use, unless that was done within `seconds`. */
  async noteUse(ids: readonly number[], seconds: number): Promise<void> {
    await this.database.rows(NOTE_USE, { ids, seconds });
  }

  /** @returns its id; undefined if the account has too many, or is gone */
  async create(
    uid: string,
    secretHash: Buffer,
    choice: AppPasswordChoice,
    strength: Strength,
  ): Promise<number | undefined> {
    const { name, scopes, readOnly, expiresAt } = choice;
    const values = { uid, secretHash, name, scopes, readOnly, expiresAt, strength, acting: actingText() };
    try {
      return (await this.database.rows(CREATE, values))[0]?.id;
    } catch (error) {
      if (violatesForeignKey(error)) return undefined;
      throw error;
    }
  }

  /** App passwords of an account, including expired ones, the newest first. */
  async list(uid: string): Promise<readonly AppPasswordRow[]> {
    const rows = await this.appPasswords.find({ select: COLUMNS, where: { uid }, order: { id: 'DESC' } });
    return rows.map((row) => selected(COLUMNS, row));
  }

  /** @returns the keyed hash of its secret; undefined if the account has no such app password */
  async change(uid: string, id: number, choice: AppPasswordChoice): Promise<Buffer | undefined> {
    const columns = { ...choice, scopes: [...choice.scopes] };
    const [hash] = await this.write({ uid, id }, (rows, which) => rows.update(which, columns));
    return hash;
  }

  /** Replaces the secret. @returns the keyed hash of the old one; undefined if there is no such app password */
  async replaceSecret(uid: string, id: number, secretHash: Buffer): Promise<Buffer | undefined> {
    const [hash] = await this.write({ uid, id }, (rows, which) => rows.update(which, { secretHash }));
    return hash;
  }

  /** @returns the keyed hash of its secret; undefined if the account has no such app password */
  async revoke(uid: string, id: number): Promise<Buffer | undefined> {
    const [hash] = await this.write({ uid, id }, (rows, which) => rows.delete(which));
    return hash;
  }

  /** @returns the keyed hashes of their secrets */
  async revokeAll(uid: string): Promise<readonly Buffer[]> {
    return this.write({ uid }, (rows, which) => rows.delete(which));
  }

  /** Changes the rows, if there are any. @returns their former keyed hashes */
  private write(which: Which, change: (rows: Rows, which: Which) => Promise<unknown>): Promise<Buffer[]> {
    return this.database.write(AppPasswordEntity, async (rows) => {
      const lock = { mode: 'pessimistic_write' } as const;
      const found = await rows.find({ select: { id: true, secretHash: true }, where: which, lock });
      if (found.length > 0) await change(rows, which);
      return found.map(({ secretHash }) => secretHash);
    });
  }
}
