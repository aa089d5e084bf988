import { setTimeout as pause } from 'node:timers/promises';
import type { TestRedis } from '../../libs/testing/src/rigs/redis-server';
import type { Organisation, Role } from './organisation';
import { shuffled, type Random } from './seeded-random';

/** Processes to kill: on the owner's side, on the recipients' side, or all of the recipients' at once. */
export const VICTIMS = [
  'a worker',
  'a federation-api',
  'the recipients’ federation-api',
  'the recipients’ worker',
  'Redis',
  'the recipients’ Redis',
  'the partner',
] as const;
export type Victim = (typeof VICTIMS)[number];

export interface Fault {
  readonly victim: Victim;
  /** Milliseconds after the creation of the next shares begins. */
  readonly afterMs: number;
  /** Milliseconds until it starts again. */
  readonly awayMs: number;
}

export interface FaultRange {
  /** Number of kills of each victim. */
  readonly times: number;
  readonly longestPauseMs: number;
  readonly longestAbsenceMs: number;
}

/** Kills in a random order at random moments. */
export function planFaults(victims: readonly Victim[], range: FaultRange, random: Random): Fault[] {
  const all = victims.flatMap((victim) => Array.from({ length: range.times }, () => victim));
  return shuffled(all, random).map((victim) => ({
    victim,
    afterMs: Math.round(random() * range.longestPauseMs),
    awayMs: Math.round(random() * range.longestAbsenceMs),
  }));
}

export interface Scene {
  readonly owner: Organisation;
  readonly recipients: Organisation;
  /** The Redis with the jobs, if there is one. */
  readonly redis?: { readonly owner: TestRedis; readonly recipients: TestRedis };
  readonly random: Random;
}

/** Ends it with kill -9, and starts it again; Redis is empty then. */
export async function strike({ victim, awayMs }: Fault, scene: Scene): Promise<void> {
  const { owner, recipients, redis, random } = scene;
  const restart = async (organisation: Organisation, roles: readonly Role[]): Promise<void> => {
    await organisation.kill(...roles);
    await pause(awayMs);
    await Promise.all(roles.map((role) => organisation.start(role)));
  };
  const workers = owner.roles.filter((role) => role.endsWith('worker'));
  switch (victim) {
    case 'a worker':
      return restart(owner, [workers[Math.floor(random() * workers.length)]!]);
    case 'a federation-api':
      return restart(owner, ['federation-api']);
    case 'the recipients’ federation-api':
      return restart(recipients, ['federation-api']);
    case 'the recipients’ worker':
      return restart(recipients, ['worker']);
    case 'Redis':
      return redis!.owner.killAndRestart();
    case 'the recipients’ Redis':
      return redis!.recipients.killAndRestart();
    case 'the partner':
      return restart(recipients, recipients.roles);
  }
}

/** A job that a queue lost is added again when its lease ends; its message keeps its holder. */
const FORGOTTEN = `UPDATE outbox_message SET lease_until = now() - interval '1 second'
  WHERE state = 'queued' AND lease_until < now() + interval '57 seconds'`;
const PAUSED = `UPDATE outbox_message SET available_at = now() WHERE state = 'pending' AND available_at > now()`;
const PARKED = `UPDATE peer SET parked_until = NULL, discovery_failed_until = NULL,
    gate = jsonb_set(gate, '{breaker,openUntilMs}', '1')
  WHERE (gate #>> '{breaker,openUntilMs}')::double precision > 1`;
/** Repeats the request for a partner's keys, if the partner was unreachable or a queue lost the request. */
const KEYLESS = `UPDATE partner_keys SET asked_at = NULL
  WHERE asked_at < now() - interval '3 seconds' AND document_keys = '' AND jwks = ''`;

/** Shortens pauses until `signal` ends it, so that a run takes minutes. It changes nothing that the pauses protect. */
export async function hurry(
  organisations: readonly Pick<Organisation, 'outbox'>[],
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    for (const { outbox } of organisations)
      for (const statement of [FORGOTTEN, PAUSED, PARKED, KEYLESS]) await outbox.query(statement);
    await pause(500);
  }
}
