import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADMIN } from '../../libs/testing/src';
import type { SharingGateway } from '../sharing/sharing-gateway';
import { documentedActions } from './documented-actions';

/** An event of the audit log in the form of the specs. */
export interface Recorded {
  readonly id: number;
  /** Actor, action and object, such as `alice share.create share`; kinds stand for actors without a name. */
  readonly told: string;
  readonly outcome: string;
  readonly address: string | null;
  readonly request_id: string | null;
  readonly attempts: number;
  readonly object_id: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Audit events that a gateway recorded since the last reading. */
export class AuditWatch {
  private last = 0;

  constructor(private readonly people: SharingGateway) {}

  /** Events since the last call. */
  async look(): Promise<Recorded[]> {
    const rows = await this.people.query<Recorded>(
      `SELECT id::int AS id, coalesce(actor, actor_kind) || ' ' || action || ' ' || object_type AS told, outcome, address, request_id,
         attempts, object_id, detail FROM audit_event WHERE id > $1 ORDER BY id`,
      [this.last],
    );
    this.last = rows.at(-1)?.id ?? this.last;
    return rows;
  }
}

/** An action, and its expected audit events: actor, action, kind of object, and `refused` if it was refused. */
export type Step = readonly [what: string, work: () => Promise<unknown>, ...told: string[]];

/** Runs the action, and checks its audit events: one attempt each, by the right actor. */
export async function play(watch: AuditWatch, [what, work, ...told]: Step): Promise<void> {
  await work();
  const events = await watch.look();
  const seen = events.map((event) => event.told + (event.outcome === 'refused' ? ' refused' : ''));
  expect([what, ...seen]).toEqual([what, ...told]);
  for (const event of events) {
    expect(event.attempts).toBe(1);
    if (told.length === 1)
      expect([event.address, event.request_id]).toEqual(['127.0.0.1', expect.any(String)]);
  }
}

/** Expects that the manual lists all recorded actions. */
export async function expectDocumented(people: SharingGateway): Promise<void> {
  const manual = readFileSync(join(__dirname, '../../docs/operations/audit.md'), 'utf8');
  const rows = await people.query<{ action: string }>('SELECT DISTINCT action FROM audit_event ORDER BY 1');
  expect(rows.length).toBeGreaterThan(10);
  expect(rows.filter(({ action }) => !documentedActions(manual).has(action))).toEqual([]);
}

const SECRETS = `SELECT encode(token_hmac, 'hex') AS secret FROM share WHERE token_hmac IS NOT NULL
  UNION ALL SELECT encode(token_hmac, 'hex') FROM received_share UNION ALL SELECT password_hash FROM user_account
  UNION ALL SELECT sealed_private_key::text FROM signing_key`;

/**
 * Expects that no event contains one of these texts, or a secret of the tables.
 * @param said a text that events contain and that is no secret
 */
export async function expectNoSecrets(
  people: SharingGateway,
  canaries: readonly string[],
  said: string,
): Promise<void> {
  const [row] = await people.query<{ text: string }>(
    'SELECT string_agg(e::text, chr(10)) AS text FROM audit_event e',
  );
  const secrets = (await people.query<{ secret: string }>(SECRETS)).map(({ secret }) => secret);
  expect(secrets.length).toBeGreaterThan(4);
  const all = ['Canary', 'sharing-of-the-specs', ADMIN.password, ...canaries, ...secrets];
  expect(all.filter((secret) => row!.text.includes(secret))).toEqual([]);
  expect(row!.text).toContain(said);
}
