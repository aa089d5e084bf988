import { z } from 'zod';

/** A job for several messages costs the queue as much as a job for one. More of them would leave less to other workers. */
export const MESSAGES_PER_JOB = 10;

/** A message, and the number of times that it was handed over. */
const MESSAGE = { messageId: z.int().positive(), round: z.int().positive() };
const DELIVERY = z.strictObject({
  v: z.literal(2),
  messages: z.array(z.strictObject(MESSAGE)).min(1).max(MESSAGES_PER_JOB),
});
/** Version 1, which a worker before an upgrade may have left. */
const DELIVERY_OF_ONE = z
  .strictObject({ v: z.literal(1), ...MESSAGE })
  .transform(({ messageId, round }) => ({ v: 2 as const, messages: [{ messageId, round }] }));

/**
 * Every queue with the schema of its jobs. A job carries a schema version and ids, never a secret and no body: workers
 * read the details from the database when they run.
 */
const QUEUES = {
  /** One attempt each to deliver some messages of the outbox. */
  delivery: z.union([DELIVERY, DELIVERY_OF_ONE]),
  /** Discovery of a partner; `unlessKnown` skips it if a valid result is stored. */
  discovery: z.strictObject({
    v: z.literal(1),
    hostKey: z.string().min(1).max(512),
    unlessKnown: z.boolean().optional(),
  }),
  /** A message to a partner about the acceptance of its invitation. */
  invitations: z.strictObject({ v: z.literal(1), acceptanceId: z.int().positive() }),
  /** A request to another server for the node of its public link. */
  'foreign-links': z.strictObject({ v: z.literal(1), linkId: z.int().positive() }),
  /** A question to the server of a mail address for the account of its person. */
  'mail-lookups': z.strictObject({ v: z.literal(1), lookupId: z.int().positive() }),
  /**
   * A move of everything that is shared with a partner to its new host, after the new host has proven to be the same
   * partner.
   */
  'partner-renames': z.strictObject({ v: z.literal(1), renameId: z.int().positive() }),
  /** One run of scheduled work. */
  schedules: z.strictObject({ v: z.literal(1), schedule: z.string().min(1).max(64) }),
} as const;

export type QueueName = keyof typeof QUEUES;
export const QUEUE_NAMES = Object.keys(QUEUES) as QueueName[];

/** Version of the jobs that this program adds. */
const latestVersionOf = (queue: QueueName): number => (queue === 'delivery' ? 2 : 1);

/** Content of a job of this queue. */
export type JobOf<Q extends QueueName> = z.infer<(typeof QUEUES)[Q]>;

/** Result of reading a job. */
export type ReadJob<Q extends QueueName> =
  | { readonly kind: 'job'; readonly job: JobOf<Q> }
  /** A newer version of this program wrote the job, so one of its workers has to run it. */
  | { readonly kind: 'newer' }
  | { readonly kind: 'unreadable' };

/** Reads a job of the queue, without trusting its content. */
export function readJob<Q extends QueueName>(queue: Q, data: unknown): ReadJob<Q> {
  const parsed = QUEUES[queue].safeParse(data);
  if (parsed.success) return { kind: 'job', job: parsed.data as JobOf<Q> };
  const version = (data as { v?: unknown } | null)?.v;
  return { kind: typeof version === 'number' && version > latestVersionOf(queue) ? 'newer' : 'unreadable' };
}
