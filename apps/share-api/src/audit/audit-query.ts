import { OcsFailure } from '#ocs/http';
import { text, type InputOf } from '#ocs/protocol';
import { ACTOR_KINDS, OUTCOMES, type AuditFilter } from '#persistence';

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 500;
const MAX_TEXT = 512;
/** A day, or a time with its zone. */
const MOMENT = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** A requested page of the audit log. */
export interface AuditQuery {
  readonly filter: AuditFilter;
  /** Only ids before this one; null for the latest. */
  readonly before: number | null;
  readonly limit: number;
}

/** Filters of the audit log. */
export const READ_AUDIT_LOG = {
  actorKind: text('Kind of the actor', { enum: ACTOR_KINDS }),
  actor: text('The actor: a user id, or the host of a partner'),
  action: text('An action, such as share.create'),
  objectType: text('Kind of the object, such as share'),
  objectId: text('Id of the object'),
  outcome: text('Outcome of the action', { enum: OUTCOMES }),
  since: text('The first day, or time with its zone'),
  until: text('The day, or time with its zone, before which the events were'),
  cursor: text('Where the page begins: X-Next-Cursor of the page before'),
  limit: text(`Maximum number of events; ${DEFAULT_LIMIT} by default`, {
    minimum: 1,
    maximum: MAX_LIMIT,
    type: 'integer',
  }),
};

/** @throws OcsFailure 400 for an invalid value */
export function auditQueryOf(input: InputOf<typeof READ_AUDIT_LOG>): AuditQuery {
  const given = (name: keyof typeof input): string | undefined => {
    const value = input[name];
    if (value !== undefined && value.length > MAX_TEXT) throw new OcsFailure(400, `${name} is too long`);
    return value === '' ? undefined : value;
  };
  const filter = {
    actorKind: oneOf('actorKind', given('actorKind'), ACTOR_KINDS),
    actor: given('actor'),
    action: given('action'),
    objectType: given('objectType'),
    objectId: given('objectId'),
    outcome: oneOf('outcome', given('outcome'), OUTCOMES),
    since: momentOf('since', given('since')),
    until: momentOf('until', given('until')),
  };
  const before = numberOf('cursor', given('cursor'), Number.MAX_SAFE_INTEGER);
  return {
    filter,
    before: before ?? null,
    limit: numberOf('limit', given('limit'), MAX_LIMIT) ?? DEFAULT_LIMIT,
  };
}

function oneOf<T extends string>(name: string, text: string | undefined, words: readonly T[]): T | undefined {
  if (text === undefined) return undefined;
  const word = words.find((known) => known === text);
  if (!word) throw new OcsFailure(400, `${name} is one of ${words.join(', ')}`);
  return word;
}

function momentOf(name: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const moment = new Date(MOMENT.test(text) ? text : Number.NaN);
  if (Number.isNaN(moment.getTime()))
    throw new OcsFailure(400, `${name} is a day, or a moment such as 2026-03-01T12:00:00Z`);
  return moment;
}

function numberOf(name: string, text: string | undefined, most: number): number | undefined {
  if (text === undefined) return undefined;
  const number = /^\d{1,16}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > most) throw new OcsFailure(400, `${name} is a number from 1 to ${most}`);
  return number;
}
