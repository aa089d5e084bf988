import { createLogger } from '#platform';
import { JobQueues, type QueueBackend } from '#queue';
import type { TestRedis } from '../../libs/testing/src/rigs/redis-server';
import type { Organisation } from './organisation';

/** A secret that is added to every queue, to prove that the search would find it. */
export const CANARY = 'CanaryThatMustBeFound22';

/** Records the whole content of a queue, including entries that existed only for a moment. */
export interface QueueWitness {
  /** The whole content, as texts. */
  read(): Promise<readonly string[]>;
}

/** Adds the canary to the queue as the product adds jobs: a schedule with an unknown name. */
async function plantCanary(backend: QueueBackend): Promise<void> {
  const queues = new JobQueues(backend, createLogger('silent'));
  await queues.ready();
  await queues.add('schedules', [{ id: 'canary', job: { v: 1, schedule: CANARY } }]);
  await queues.close();
}

/** For a queue in Redis: its append-only log since its first start, and its present content. */
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

/** For a queue in the database: every version of every row of its tables. */
export async function watchTables({ test, outbox }: Organisation): Promise<QueueWitness> {
  const backend = { kind: 'postgres', url: test.url } as const;
  const queues = new JobQueues(backend, createLogger('silent'));
  // Its tables exist from then on.
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
