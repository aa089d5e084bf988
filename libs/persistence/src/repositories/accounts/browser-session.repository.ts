import { Injectable } from '@nestjs/common';
import { Database } from '../../database';
import type { Strength } from '../../entities/accounts/strength';
import {
  array,
  bytea,
  int4,
  int8,
  nullable,
  text,
  textOf,
  timestamptz,
  type RowOf,
} from '../../postgres-types';
import { statement } from '../../statement';

/** Maximum number of sessions per account: a new one replaces the one with the oldest use. */
const MOST_SESSIONS = 100;
/** Number of ended sessions that one sign-in removes. */
const SWEPT = 100;

const SESSION = {
  id: int8,
  userAgent: text,
  address: text,
  createdAt: timestamptz,
  usedAt: timestamptz,
  endsAt: timestamptz,
};
/** A signed-in browser, as its account sees it. */
export type BrowserSessionRow = RowOf<typeof SESSION>;

const FOUND = { id: int8, uid: text, strength: textOf<Strength>() };
/** Session of a request. */
export type FoundSession = RowOf<typeof FOUND>;

const LIVE = `s.ends_at > now() AND s.used_at > now() - make_interval(mins => :idleMinutes)
     AND a.enabled AND s.password_digest = sha256(convert_to(a.password_hash, 'UTF8'))`;

const FIND = statement({
  name: 'browser_session.find',
  params: { secretHash: bytea, idleMinutes: int4 },
  row: FOUND,
  sql: `WITH found AS (
     SELECT s.id, s.uid, s.strength, s.used_at < now() - interval '1 minute' AS is_stale
     FROM browser_session s JOIN user_account a ON a.uid = s.uid WHERE s.secret_hash = :secretHash AND ${LIVE}),
   noted AS (UPDATE browser_session s SET used_at = now() FROM found WHERE found.is_stale AND s.id = found.id)
   SELECT id, uid, strength FROM found`,
});
const STILL_LIVE = statement({
  name: 'browser_session.still_live',
  params: { ids: array(int8), idleMinutes: int4 },
  row: { id: int8 },
  sql: `SELECT s.id FROM browser_session s JOIN user_account a ON a.uid = s.uid WHERE s.id = ANY(:ids::bigint[]) AND ${LIVE}`,
});
const OPEN = statement({
  name: 'browser_session.open',
  params: {
    uid: text,
    secretHash: bytea,
    userAgent: text,
    address: text,
    minutes: int4,
    strength: text,
    issuer: nullable(text),
    issuerSession: nullable(text),
  },
  sql: `INSERT INTO browser_session (uid, secret_hash, password_digest, user_agent, address, ends_at, strength, issuer, issuer_session)
   SELECT uid, :secretHash, sha256(convert_to(password_hash, 'UTF8')), :userAgent, :address, now() + make_interval(mins => :minutes), :strength, :issuer, :issuerSession
   FROM user_account WHERE uid = :uid`,
});
const SWEEP = statement({
  name: 'browser_session.sweep',
  params: { uid: text },
  sql: `DELETE FROM browser_session WHERE id IN (
     (SELECT id FROM browser_session WHERE ends_at < now() LIMIT ${SWEPT})
     UNION ALL (SELECT id FROM browser_session WHERE uid = :uid ORDER BY used_at DESC, id DESC OFFSET ${MOST_SESSIONS}))`,
});
const LIST = statement({
  name: 'browser_session.list',
  params: { uid: text, idleMinutes: int4 },
  row: SESSION,
  sql: `SELECT s.id, s.user_agent AS "userAgent", s.address, s.created_at AS "createdAt", s.used_at AS "usedAt", s.ends_at AS "endsAt"
   FROM browser_session s JOIN user_account a ON a.uid = s.uid WHERE s.uid = :uid AND ${LIVE} ORDER BY s.used_at DESC, s.id DESC`,
});
const END = statement({
  name: 'browser_session.end',
  params: { uid: text, id: int8 },
  row: { id: int8 },
  sql: 'DELETE FROM browser_session WHERE uid = :uid AND id = :id RETURNING id',
});
const STRENGTHEN = statement({
  name: 'browser_session.strengthen',
  params: { uid: text, id: int8 },
  sql: "UPDATE browser_session SET strength = 'two_factors' WHERE uid = :uid AND id = :id",
});
const END_OTHERS = statement({
  name: 'browser_session.end_others',
  params: { uid: text, id: nullable(int8) },
  sql: 'DELETE FROM browser_session WHERE uid = :uid AND id IS DISTINCT FROM :id',
});

/** Browsers in which people are signed in. A session ends by time, with its account, and with the account's password. */
@Injectable()
export class BrowserSessionRepository {
  constructor(private readonly database: Database) {}

  /** The session with this secret, unless it has ended. Notes its use. */
  async find(secretHash: Buffer, idleMinutes: number): Promise<FoundSession | undefined> {
    const [found] = await this.database.rows(FIND, { secretHash, idleMinutes });
    return found;
  }

  /** Ids of this list whose sessions have not ended. */
  async stillLive(ids: readonly number[], idleMinutes: number): Promise<number[]> {
    return (await this.database.rows(STILL_LIVE, { ids, idleMinutes })).map(({ id }) => id);
  }

  /**
   * Opens a session, and removes some ended ones.
   * @param session `minutes` is its maximum lifetime
   */
  async open(session: {
    readonly uid: string;
    readonly secretHash: Buffer;
    readonly userAgent: string;
    readonly address: string;
    readonly minutes: number;
    readonly strength: Strength;
    readonly issuer: string | null;
    readonly issuerSession: string | null;
  }): Promise<void> {
    await this.database.rows(OPEN, session);
    await this.database.rows(SWEEP, { uid: session.uid });
  }

  /** Live sessions of an account, the last used first. */
  async list(uid: string, idleMinutes: number): Promise<readonly BrowserSessionRow[]> {
    return this.database.rows(LIST, { uid, idleMinutes });
  }

  /** @returns whether the account had this session */
  async end(uid: string, id: number): Promise<boolean> {
    return (await this.database.rows(END, { uid, id })).length > 0;
  }

  /** Notes that the user proved a second factor in this session. */
  async strengthen(uid: string, id: number): Promise<void> {
    await this.database.rows(STRENGTHEN, { uid, id });
  }

  /** Ends all other sessions of an account. */
  async endOthers(uid: string, id: number | null): Promise<void> {
    await this.database.rows(END_OTHERS, { uid, id });
  }
}
