import { eventually } from '../../../libs/testing/src';
import type { HostileWorld } from './hostile-world';

const TABLES = `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1`;

/** Everything that a gateway wrote, sent or answered, by its place. */
export async function textsOf(world: HostileWorld): Promise<Record<string, string>> {
  // Spans come when they have ended, some seconds later.
  await eventually('the traces', () => world.traces.text().includes('take offer'));
  return {
    log: world.log.text(),
    jobs: `${world.redis.log()}\n${await world.redis.dump()}`,
    audit_event: await rowsOf(world, 'audit_event'),
    tables: await allRows(world),
    metrics: await world.metrics(),
    traces: world.traces.text(),
    answers: world.answers.join('\n'),
  };
}

/** Messages, attempts, errors and all else. */
async function allRows(world: HostileWorld): Promise<string> {
  const tables = await world.people.query<{ name: string }>(TABLES);
  const texts: string[] = [];
  for (const { name } of tables) texts.push(await rowsOf(world, name));
  return texts.join('\n');
}

async function rowsOf({ people }: HostileWorld, table: string): Promise<string> {
  const rows = await people.query<{ row: string }>(`SELECT to_jsonb(t)::text AS row FROM "${table}" t`);
  return rows.map(({ row }) => row).join('\n');
}

/** The secrets that a text contains, plain or in their encoded forms. */
export function secretsIn(text: string, secrets: readonly string[]): string[] {
  return secrets.filter((secret) => formsOf(secret).some((form) => text.includes(form)));
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  // Without its last characters, base64 does not depend on what follows.
  const base64 = bytes.toString('base64').slice(0, Math.floor(bytes.length / 3) * 4);
  return [secret, bytes.toString('hex'), encodeURIComponent(secret), base64];
}
