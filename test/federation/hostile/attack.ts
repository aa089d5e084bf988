import type { Prize } from './hostile-stage';
import type { HostileWorld } from './hostile-world';

/** Where attacks happen, and what they are after. */
export interface Scene {
  readonly world: HostileWorld;
  readonly prize: Prize;
}

/** Statuses that may answer an attack. */
const REFUSED = [400, 401, 403, 405, 410, 501, 503];

export interface Expected {
  /** Of the one warning: the fault, and the claimed sender of the message. Without it the audit log alone tells of it. */
  readonly warning?: { readonly reason: string; readonly partner?: string };
  /** Tables that a refused attack leaves something in. */
  readonly leaves?: readonly string[];
  /** Where it is not one of those that say no. */
  readonly statuses?: readonly number[];
  /** Whether it gets nowhere near what the audit log is about. */
  readonly isUnheard?: boolean;
}

/** A refusal that may be different a moment later is not recorded. */
const UNRECORDED = 'key-unavailable';

/** Does it. @returns the differences from the right answer: the answer, what changed, how often it was logged */
export async function surprisesOf(
  { world }: Scene,
  attack: () => Promise<number>,
  { warning, leaves = [], statuses = REFUSED, isUnheard = false }: Expected,
): Promise<string[]> {
  await world.tables.changed();
  const refusals = await world.refusals();
  world.log.warnings();
  const status = await attack();
  const surprises = statuses.includes(status) ? [] : [`it was answered ${status}`];
  const unexpected = (await world.tables.changed()).filter((table) => !leaves.includes(table));
  if (unexpected.length > 0) surprises.push(`it changed ${unexpected.join(', ')}`);
  const warnings = world.log.warnings().map(({ reason, partner }) => ({ reason, partner }));
  const expected = warning ? [{ reason: warning.reason, partner: warning.partner }] : [];
  if (JSON.stringify(warnings) !== JSON.stringify(expected))
    surprises.push(`the log has ${JSON.stringify(warnings)}, not ${JSON.stringify(expected)}`);
  const recorded = (await world.refusals()) - refusals;
  const isRecorded = !isUnheard && warning?.reason !== UNRECORDED;
  if (recorded !== (isRecorded ? 1 : 0)) surprises.push(`the audit log has it ${recorded} times`);
  return surprises;
}
