import { setTimeout as pause } from 'node:timers/promises';
import { explainFailure } from '#platform';
import type { Output } from '../command';
import type { Instance } from '../instance';
import { failed, STATES, type Check, type Finding, type ReportedFinding } from './finding';

/** Limit of one check. All checks together end within it, too, since none waits for another. */
const CHECK_LIMIT_MS = 20_000;

/**
 * Runs all checks, those of a kind at the same time, each with its own limit; a failed check is a finding, too.
 * If the first check, that of the database, fails, checks that read tables are left out.
 */
export async function examine(
  [first, ...others]: readonly [Check, ...Check[]],
  instance: Instance,
  limitMs = CHECK_LIMIT_MS,
): Promise<ReportedFinding[]> {
  const look = async (check: Check): Promise<ReportedFinding[]> =>
    (await examineWithin(check, instance, limitMs)).map((finding) => ({ check: check.name, ...finding }));
  const found = await look(first);
  const isFit = found.every(({ state }) => state !== 'failed');
  const possible = others.filter(({ needsSchema }) => isFit || !needsSchema);
  return [...found, ...(await Promise.all(possible.map(look))).flat()];
}

async function examineWithin(check: Check, instance: Instance, limitMs: number): Promise<readonly Finding[]> {
  const done = new AbortController();
  const overdue = pause(limitMs, undefined, { signal: done.signal }).then(
    () => [failed('answer', `none within ${limitMs / 1000} s`, 'Look at what it asks: it hangs.')],
    () => [],
  );
  try {
    return await Promise.race([check.look(instance), overdue]);
  } catch (error) {
    return [failed('check', explainFailure(error, instance.config), 'Mend this first, then ask again.')];
  } finally {
    done.abort();
  }
}

/** Exit code 0 without problems, 1 with warnings only, 2 with failures. */
export function reportOf(findings: readonly ReportedFinding[]): Output {
  const worst = Math.max(0, ...findings.map(({ state }) => STATES.indexOf(state)));
  const counts = STATES.map((state) => `${findings.filter((one) => one.state === state).length} ${state}`);
  const checkWidth = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.flatMap(({ check, state, subject, seen, advice }) => [
    `${state.padEnd('warning'.length)}  ${check.padEnd(checkWidth)}  ${subject}: ${seen}`,
    ...(advice === undefined ? [] : [`${' '.repeat(checkWidth + 11)}-> ${advice}`]),
  ]);
  return {
    kind: 'report',
    lines: [...lines, counts.join(', ')],
    record: { state: STATES[worst], findings },
    exitCode: worst,
  };
}
