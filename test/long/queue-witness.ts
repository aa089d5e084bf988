import { createLogger } from '#platform';
import { JobQueues, type QueueBackend } from '#queue';
import type { TestRedis } from '../../libs/testing/src/rigs/redis-server';
import type { Organisation } from './organisation';

/** A secret that is put into every queue, to see that it would be found there. */
export const CANARY = 'CanaryThatMustBeFound22';

/** Sees everything that was ever in a queue, also what was there for a moment only. */
export interface QueueWitness {
  /** All of it, as text, in pieces. */
  read(): Promise<readonly string[]>;
}

/** Puts the canary into the queue as the product puts jobs there: a schedule by a name that nobody knows. */
async function plantCanary(backend: QueueBackend): Promise<void> {
  const queues = new JobQueues(backend, createLogger('silent'));
  await queues.ready();
  await queues.add('schedules', [{ id: 'canary', job: { v: 1, schedule: CANARY } }]);
  await queues.close();
}

/** Of a queue in Redis: its append-only log over all its lives, and what is there now. */
export async function watchRedis(redis: TestRedis): Promise<QueueWitness> {
  await plantCanary({ kind: 'redis', url: redis.url, prefix: 'drawbridge' });
  return { read: async () => [redis.log(), await redis.dump()] };
}

const SCHEMA = 'bullmq';
const SEEN = `
CREATE TABLE public.seen_in_queue (line text NOT NULL);
CREATE FUNCTION see_in_queue() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.seen_in_queue VALUES (to_jsonb(NEW)::text);
  RETURN NULL;
END $$;`;
const TABLES = `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = '${SCHEMA}'`;
const seeing = (table: string): string =>
  `CREATE TRIGGER seen AFTER INSERT OR UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION public.see_in_queue()`;

/** Of a queue in the database: every version of every row of its tables. */
export async function watchTables({ test, outbox }: Organisation): Promise<QueueWitness> {
  const backend = { kind: 'postgres', url: test.url } as const;
  const queues = new JobQueues(backend, createLogger('silent'));
  // Its tables stand from then on.
  await queues.ready();
  await queues.close();
  await outbox.query(SEEN);
  for (const { name } of await outbox.query<{ name: string }>(TABLES)) await outbox.query(seeing(name));
  await plantCanary(backend);
  return {
    read: async () =>
      (await outbox.query<{ line: string }>('SELECT line FROM seen_in_queue')).map(({ line }) => line),
  };
}
