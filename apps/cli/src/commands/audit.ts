import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ACTOR_KINDS, AuditLogRepository, OUTCOMES, type AuditEvent, type AuditFilter } from '#persistence';
import { countOption, textOption, type Command, type CommandInput } from '../command';
import { UsageError } from '../command-failed';
import { unwritable } from '../unwritable';

const DEFAULT_LIMIT = 100;
/** Number of events that are read at once, which limits the memory of an export. */
const PART = 1000;

const FILTERS = {
  'actor-kind': { type: 'string' },
  actor: { type: 'string' },
  action: { type: 'string' },
  'object-type': { type: 'string' },
  object: { type: 'string' },
  outcome: { type: 'string' },
  since: { type: 'string' },
  until: { type: 'string' },
} as const;
const FILTERS_USAGE = `[--actor-kind ${ACTOR_KINDS.join('|')}] [--actor NAME] [--action ACTION] [--object-type TYPE] [--object ID] [--outcome ${OUTCOMES.join('|')}] [--since TIME] [--until TIME]`;

function filterOf(input: CommandInput): AuditFilter {
  return {
    actorKind: wordOption(input, 'actor-kind', ACTOR_KINDS),
    actor: textOption(input, 'actor'),
    action: textOption(input, 'action'),
    objectType: textOption(input, 'object-type'),
    objectId: textOption(input, 'object'),
    outcome: wordOption(input, 'outcome', OUTCOMES),
    since: timeOption(input, 'since'),
    until: timeOption(input, 'until'),
  };
}

function wordOption<T extends string>(input: CommandInput, name: string, words: readonly T[]): T | undefined {
  const given = textOption(input, name);
  const word = words.find((known) => known === given);
  if (given !== undefined && !word) throw new UsageError(`--${name} is one of ${words.join(', ')}.`);
  return word;
}

function timeOption(input: CommandInput, name: string): Date | undefined {
  const text = textOption(input, name);
  if (text === undefined) return undefined;
  const time = new Date(/^\d{4}-\d{2}-\d{2}/.test(text) ? text : Number.NaN);
  if (Number.isNaN(time.getTime()))
    throw new UsageError(`--${name} takes a day or a time, such as 2026-03-01T12:00:00Z.`);
  return time;
}

const list: Command = {
  name: 'audit list',
  arguments: [],
  options: { ...FILTERS, before: { type: 'string' }, limit: { type: 'string' } },
  optionsUsage: `${FILTERS_USAGE} [--before ID] [--limit N]`,
  summary: 'Lists the events of the audit log, the latest first, 100 unless --limit says otherwise.',
  async run(input, instance) {
    const filter = filterOf(input);
    const limit = countOption(input, 'limit') ?? DEFAULT_LIMIT;
    const before = countOption(input, 'before') ?? null;
    const rows = await new AuditLogRepository(await instance.open()).newest(filter, before, limit);
    return { kind: 'rows', rows: rows.map((row) => ({ ...row, at: row.at.toISOString() })) };
  },
};

const exported: Command = {
  name: 'audit export',
  arguments: [],
  options: FILTERS,
  optionsUsage: FILTERS_USAGE,
  summary: 'Writes the audit log to standard output, the oldest first, one JSON object to a line.',
  async run(input, instance) {
    const filter = filterOf(input);
    const audit = new AuditLogRepository(await instance.open());
    const written = { count: 0 };
    // Reads only as fast as standard output accepts the events.
    await pipeline(Readable.from(parts(audit, filter, written), { highWaterMark: 1 }), process.stdout, {
      end: false,
    }).catch((error: unknown) => {
      throw unwritable('Standard output', error);
    });
    const sentence = `${written.count} events were written.`;
    return { kind: 'done', sentence, record: { ...written }, isBeside: true };
  },
};

async function* parts(
  audit: AuditLogRepository,
  filter: AuditFilter,
  written: { count: number },
): AsyncGenerator<string> {
  let events: AuditEvent[];
  let after = 0;
  do {
    events = await audit.oldest(filter, after, PART);
    if (events.length === 0) return;
    after = events.at(-1)!.id;
    written.count += events.length;
    yield events.map((event) => `${JSON.stringify(event)}\n`).join('');
  } while (events.length === PART);
}

export const AUDIT_COMMANDS: readonly Command[] = [list, exported];
