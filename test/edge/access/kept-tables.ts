import type pg from 'pg';
import type { ChangeFeed } from '#persistence';

/** Counters of limits and of seen signatures, the audit log, the counters of changes for partners, and news, which a worker deletes every minute. */
const UNCOUNTED = [
  'throttle',
  'call_budget',
  'operation_sample',
  'push_news',
  'seen_signature',
  'audit_event',
  'content_change',
];
/** Times of the last use, and results of background work at its own times. */
const VOLATILE = [
  ...['last_login_at', 'used_at', 'first_read_at', 'seen_at', 'look_at', 'looks_after'],
  ...[
    'profile',
    'discovered_at',
    'profile_expires_at',
    'discovery_failed_until',
    'discovery_error',
    'gate',
    'parked_until',
  ],
];

/** Tables with rows that processes cache: the topic of a change, and the column in its announcement. */
const CACHED: Readonly<Record<string, readonly [topic: string, key: string]>> = {
  user_account: ['account', 'uid'],
  app_password: ['app-password', "encode(secret_hash, 'base64')"],
  group_member: ['account', 'uid'],
  group_subadmin: ['account', 'uid'],
  user_preference: ['account', 'uid'],
  totp: ['account', 'uid'],
  user_group: ['group', 'gid'],
  setting: ['setting', 'app'],
  capability_entry: ['capability', 'app'],
  peer: ['peer', 'host_key'],
};
/** An empty group, announced after all others. */
const LAST = 'heard-of-all';

/** Records each statement that may have changed a table, because a comparison of all rows of all tables takes too long. */
const WATCH = `
  CREATE TABLE kept.written (name text NOT NULL);
  CREATE FUNCTION kept.note() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN INSERT INTO kept.written VALUES (TG_TABLE_NAME); RETURN NULL; END'`;
const TAKE_NOTES = { name: 'kept_tables.take_notes', text: 'DELETE FROM kept.written RETURNING name' };

/** The state of all tables of a gateway's database at one moment, to compare and restore it. */
export class KeptTables {
  /** Digests of the rows at the last read. */
  private readonly seen: Map<string, string>;

  private constructor(
    private readonly pool: pg.Pool,
    /** Writable columns of each table. */
    private readonly columns: ReadonlyMap<string, string>,
    /** Digests of the stored rows. */
    private readonly kept: ReadonlyMap<string, string>,
    feed: ChangeFeed,
  ) {
    this.seen = new Map(kept);
    feed.onChange((_topic, key) => {
      if (key === LAST) this.allReceived?.();
    });
    // Changes were missed, so nothing can be reused.
    feed.onGap(() => this.allReceived?.());
  }

  private allReceived: (() => void) | undefined;

  /** @param feed of the gateway, which announces the restored rows */
  static async keep(pool: pg.Pool, feed: ChangeFeed): Promise<KeptTables> {
    const { rows } = await pool.query<{ name: string; columns: string }>(
      `SELECT c.relname AS name, string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) AS columns
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
       WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND NOT c.relname = ANY($1)
         AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
       GROUP BY c.relname ORDER BY c.relname`,
      [UNCOUNTED],
    );
    await pool.query(`CREATE SCHEMA kept; ${WATCH}`);
    const kept = new Map<string, string>();
    for (const { name } of rows) {
      await pool.query(watchAndCopy(name));
      kept.set(name, await digestOf(pool, 'kept', name));
    }
    return new KeptTables(pool, new Map(rows.map(({ name, columns }) => [name, columns])), kept, feed);
  }

  /** Names of tables with other rows than at the last call, or after the last restore. */
  async changed(): Promise<string[]> {
    const { rows } = await this.pool.query<{ name: string }>(TAKE_NOTES);
    const changed: string[] = [];
    for (const name of new Set(rows.map((row) => row.name))) {
      const digest = await digestOf(this.pool, 'public', name);
      if (digest !== this.seen.get(name)) changed.push(name);
      this.seen.set(name, digest);
    }
    return changed;
  }

  /** Restores tables without their triggers, and waits until the gateway has dropped its copies. */
  async restore(names: readonly string[]): Promise<void> {
    const heard = new Promise<void>((resolve) => (this.allReceived = resolve));
    const client = await this.pool.connect();
    try {
      await client.query('BEGIN; SET LOCAL session_replication_role = replica');
      for (const name of names) {
        const columns = this.columns.get(name)!;
        const there = `INSERT INTO public."${name}" (${columns}) OVERRIDING SYSTEM VALUE SELECT ${columns} FROM kept."${name}"`;
        await client.query(`${announce(name)}DELETE FROM public."${name}"; ${there}; ${announce(name)}`);
      }
      await client.query(`SELECT pg_notify('drawbridge_changes', 'group:${LAST}'); COMMIT`);
    } finally {
      client.release();
    }
    for (const name of names) this.seen.set(name, this.kept.get(name)!);
    await heard;
  }
}

/** Digests of the current rows. */
function announce(name: string): string {
  const [topic, key] = CACHED[name] ?? [];
  if (topic === undefined) return '';
  return `SELECT pg_notify('drawbridge_changes', '${topic}:' || ${key}) FROM public."${name}"; `;
}

/** One transaction for each table: nothing is written to it in between, and no transaction waits for two tables. */
function watchAndCopy(name: string): string {
  return `CREATE TRIGGER kept_note AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON public."${name}" EXECUTE FUNCTION kept.note();
    CREATE TABLE kept."${name}" AS TABLE public."${name}"`;
}

async function digestOf(pool: pg.Pool, schema: 'public' | 'kept', table: string): Promise<string> {
  const text = `SELECT md5(coalesce(string_agg(t, chr(10) ORDER BY t), '')) AS digest FROM (
    SELECT (to_jsonb(r) - $1::text[])::text AS t FROM ${schema}."${table}" r) rows`;
  const named = { name: `kept_tables.${schema}.${table}`, text, values: [VOLATILE] };
  return (await pool.query<{ digest: string }>(named)).rows[0]!.digest;
}
