import type pg from 'pg';
import type { ChangeFeed } from '#persistence';

/** Counters of limits and of signatures that were seen, and the audit log: calls are what they are about. */
const UNCOUNTED = ['throttle', 'call_budget', 'seen_signature', 'audit_event'];
/** That somebody was here, and what background work finds out at its own times. */
const VOLATILE = [
  ...['last_login_at', 'look_at', 'looks_after'],
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

/** Tables of which processes keep rows: the topic under which they hear of a change, and the column that it names. */
const CACHED: Readonly<Record<string, readonly [topic: string, key: string]>> = {
  user_account: ['account', 'uid'],
  group_member: ['account', 'uid'],
  group_subadmin: ['account', 'uid'],
  user_preference: ['account', 'uid'],
  user_group: ['group', 'gid'],
  setting: ['setting', 'app'],
  capability_entry: ['capability', 'app'],
  peer: ['peer', 'host_key'],
};
/** A group that nobody is in: announced behind all others. */
const LAST = 'heard-of-all';

/** Digest of the rows of each table. */
export type Fingerprint = ReadonlyMap<string, string>;

/** All tables of a gateway's database, as they were at one moment: whether they still are, and putting them back. */
export class KeptTables {
  private constructor(
    private readonly pool: pg.Pool,
    /** Columns of each table that can be written. */
    private readonly columns: ReadonlyMap<string, string>,
    private readonly digest: string,
    feed: ChangeFeed,
  ) {
    feed.onChange((_topic, key) => {
      if (key === LAST) this.allHeard?.();
    });
    // What was said meanwhile was not heard, and so nothing is kept.
    feed.onGap(() => this.allHeard?.());
  }

  private allHeard: (() => void) | undefined;

  /** @param feed of the gateway, by which it hears what was put back */
  static async keep(pool: pg.Pool, feed: ChangeFeed): Promise<KeptTables> {
    const { rows } = await pool.query<{ name: string; columns: string }>(
      `SELECT c.relname AS name, string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) AS columns
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
       WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND NOT c.relname = ANY($1)
         AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
       GROUP BY c.relname ORDER BY c.relname`,
      [UNCOUNTED],
    );
    await pool.query('CREATE SCHEMA kept');
    for (const { name } of rows) await pool.query(`CREATE TABLE kept."${name}" AS TABLE public."${name}"`);
    const digests = rows.map(
      ({
        name,
      }) => `SELECT '${name}' AS name, (SELECT md5(coalesce(string_agg(t, chr(10) ORDER BY t), '')) FROM (
        SELECT (to_jsonb(r) - $1::text[])::text AS t FROM public."${name}" r) rows) AS digest`,
    );
    const columns = new Map(rows.map(({ name, columns }) => [name, columns]));
    return new KeptTables(pool, columns, digests.join('\nUNION ALL '), feed);
  }

  async fingerprint(): Promise<Fingerprint> {
    const { rows } = await this.pool.query<{ name: string; digest: string }>({
      name: 'kept_tables.fingerprint',
      text: this.digest,
      values: [VOLATILE],
    });
    return new Map(rows.map(({ name, digest }) => [name, digest]));
  }

  /** Puts tables back as they were, past all triggers, and waits until the gateway has forgotten what it kept of them. */
  async restore(names: readonly string[]): Promise<void> {
    const heard = new Promise<void>((resolve) => (this.allHeard = resolve));
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
    await heard;
  }
}

/** Of the rows that are there now. */
function announce(name: string): string {
  const [topic, key] = CACHED[name] ?? [];
  if (topic === undefined) return '';
  return `SELECT pg_notify('drawbridge_changes', '${topic}:' || ${key}) FROM public."${name}"; `;
}

/** Names of tables whose rows differ. */
export function changedTables(before: Fingerprint, after: Fingerprint): string[] {
  return [...after].filter(([name, digest]) => before.get(name) !== digest).map(([name]) => name);
}
