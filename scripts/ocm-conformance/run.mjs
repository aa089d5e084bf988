import { DISCOVERY } from './sections/discovery.mjs';
import { DIRECTORY, TERMS } from './sections/general.mjs';
import { INVITATIONS } from './sections/invitations.mjs';
import { NOTIFICATIONS, TOKENS } from './sections/notifications.mjs';
import { OPTIONAL } from './sections/optional.mjs';
import { ACCEPTING, RECEIVING } from './sections/receiving.mjs';
import { SENDING } from './sections/sending.mjs';
import { SHARES } from './sections/shares.mjs';
import { SIGNATURES } from './sections/signatures.mjs';
import { Broken, NotRun } from './verdict.mjs';

/** The order matters: an accepted invitation creates the contact that offers can need. */
const SECTIONS = [
  ...[TERMS, DISCOVERY, INVITATIONS, ACCEPTING],
  ...[SIGNATURES, SHARES, RECEIVING, SENDING],
  ...[NOTIFICATIONS, TOKENS, OPTIONAL, DIRECTORY],
];

/**
 * Runs all checks, one after the other.
 * @returns {Promise<{id: string, section: string, level: string, says: string, result: string, detail: string}[]>} `result`
 *   is `passed`, `failed` or `not run`
 */
export async function runChecks(world) {
  const results = [];
  for (const { title: section, sentences } of SECTIONS)
    for (const { check, ...sentence } of sentences)
      results.push({ section, ...sentence, ...(await outcome(check, world)) });
  await world.tidy();
  return results;
}

async function outcome(check, world) {
  try {
    await check(world);
    return { result: 'passed', detail: '' };
  } catch (error) {
    if (error instanceof NotRun) return { result: 'not run', detail: error.message };
    if (error instanceof Broken) return { result: 'failed', detail: error.message };
    // The server is unreachable or closed the connection. A fault of this program would not be a system error.
    if (typeof error.code === 'string') return { result: 'failed', detail: `no answer: ${error.message}` };
    throw error;
  }
}

/** The table by section, for a terminal. */
export function tableOf(results) {
  const lines = [];
  let section = '';
  for (const { section: own, id, level, says, result, detail } of results) {
    if (own !== section) lines.push('', `## ${own}`, '');
    section = own;
    lines.push(
      `${result.padEnd(8)} ${level.padEnd(6)} ${id}: ${says}${detail && `\n${' '.repeat(16)}${detail}`}`,
    );
  }
  return lines.join('\n').trimStart();
}

export function countsOf(results) {
  return ['MUST', 'SHOULD', 'STATED'].map((level) => {
    const count = (wanted) => results.filter((one) => one.level === level && one.result === wanted).length;
    return `${level}: ${count('passed')} passed, ${count('failed')} failed, ${count('not run')} not run`;
  });
}
