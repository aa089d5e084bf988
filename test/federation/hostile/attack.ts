import type { Prize } from './hostile-stage';
import type { HostileWorld } from './hostile-world';

/** The target and the goal of attacks. */
export interface Scene {
  readonly world: HostileWorld;
  readonly prize: Prize;
}

/** Statuses that may answer an attack. */
const REFUSED = [400, 401, 403, 405, 410, 501, 503];

export interface Expected {
  /** The fault and the claimed sender in the only warning. Without it only the audit log records the attack. */
  readonly warning?: { readonly reason: string; readonly partner?: string };
  /** Tables that a refused attack changes. */
  readonly leaves?: readonly string[];
  /** Status of the answer, if it is not one of the usual refusals. */
  readonly statuses?: readonly number[];
  /** Whether the attack ends before anything that the audit log records. */
  readonly isUnheard?: boolean;
}

/** A refusal that may be different a moment later is not recorded. */
const UNRECORDED = 'key-unavailable';

/** Runs the attack. @returns the differences from the right answer: the answer, the changes, the number of log lines */
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
