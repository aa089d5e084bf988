import type { ExpiryRule } from './policy';
import { SharingFailed } from './sharing-failed';

/** A calendar day, `YYYY-MM-DD`, in UTC. Days compare as text. */
export type Day = string & { readonly brand: 'Day' };

const DAY_MS = 86_400_000;
const MIN_YEAR = 1970;
const MAX_YEAR = 9999;

export function dayOf(instant: Date): Day {
  return instant.toISOString().slice(0, 10) as Day;
}

export function daysAfter(day: Day, days: number): Day {
  return dayOf(new Date(Date.parse(day) + days * DAY_MS));
}

function day(year: string, month: string, date: string): Day | undefined {
  const parsed = new Date(Date.UTC(Number(year), Number(month) - 1, Number(date)));
  const same = parsed.getUTCMonth() === Number(month) - 1 && parsed.getUTCDate() === Number(date);
  return same && Number(year) >= MIN_YEAR && Number(year) <= MAX_YEAR ? dayOf(parsed) : undefined;
}

const TIME_BEHIND = /[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)? ?(?:Z|[+-]\d{2}:?\d{2})?$/i;

/** Ways to write a day, with the places of year, month and day. */
const FORMS: readonly (readonly [RegExp, number, number, number])[] = [
  [/^(\d{4})-(\d{1,2})-(\d{1,2})$/, 1, 2, 3],
  [/^(\d{4})(\d{2})(\d{2})$/, 1, 2, 3],
  [/^(\d{4})\/(\d{1,2})\/(\d{1,2})$/, 1, 2, 3],
  [/^(\d{1,2})[.-](\d{1,2})[.-](\d{4})$/, 3, 2, 1],
  [/^(\d{1,2})\/(\d{1,2})\/(\d{4})$/, 3, 1, 2],
];

/**
 * Reads a day as clients send it: `2030-01-31` as documented, and the other forms that deployed servers take:
 * `20300131`, `31.1.2030`, `31-01-2030`, `1/31/2030`, `today`, `tomorrow`, `+7 days`. A time behind it is dropped.
 * @returns undefined for everything else, and for days that no calendar has
 */
export function parseDay(raw: string, today: Day): Day | undefined {
  if (raw.length > 64) return undefined;
  const text = raw.trim().replace(TIME_BEHIND, '');
  for (const [form, year, month, date] of FORMS) {
    const match = form.exec(text);
    if (match) return day(match[year]!, match[month]!, match[date]!);
  }
  return relativeDay(text.toLowerCase(), today);
}

const UNIT_DAYS: Record<string, number> = { day: 1, week: 7 };

function relativeDay(text: string, today: Day): Day | undefined {
  if (text === 'today' || text === 'now') return today;
  if (text === 'tomorrow') return daysAfter(today, 1);
  if (text === 'yesterday') return daysAfter(today, -1);
  const shift = /^([+-]?\d{1,4}) (day|week)s?$/.exec(text);
  return shift ? daysAfter(today, Number(shift[1]) * UNIT_DAYS[shift[2]!]!) : undefined;
}

/** Reads `YYYY-MM-DD` and nothing else; undefined also for days that no calendar has. */
function parseDocumentedDay(raw: string): Day | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(raw);
  return match ? day(match[1]!, match[2]!, match[3]!) : undefined;
}

/** Expiry in a request: a day, `none` to have no expiry, or undefined if the request does not say. */
export type ExpiryWish = Day | 'none' | undefined;

/**
 * Reads `expireDate` of a request.
 *
 * @param raw undefined when it was not sent; empty for no expiry
 * @param forms `php`: every form that parseDay reads; otherwise only `YYYY-MM-DD`, and empty only where there may be a day to clear
 * @throws SharingFailed date-invalid
 */
export function parseExpiryWish(
  raw: string | undefined,
  today: Day,
  forms: 'php' | 'documented' | 'documented-or-empty',
): ExpiryWish {
  if (raw === undefined) return undefined;
  if (raw === '' && forms !== 'documented') return 'none';
  const day = forms === 'php' ? parseDay(raw, today) : parseDocumentedDay(raw);
  if (!day) throw new SharingFailed('date-invalid');
  return day;
}

/** The expiry of a share that follows another one: the last day of that one, unless the rule demands an earlier day. */
export function expiryBehind(followed: Day | null, rule: ExpiryRule, today: Day): Day | null {
  if (!rule.enforced) return followed;
  const latest = daysAfter(today, rule.days);
  return followed !== null && followed < latest ? followed : latest;
}

/**
 * The expiry of a share after a request.
 *
 * @param creating a request without a day gets the enforced default; an update without a day leaves it unchanged
 * @throws SharingFailed expiry-past, expiry-too-far, or expiry-enforced where an update would clear it
 */
export function resolveExpiry(
  wish: ExpiryWish,
  rule: ExpiryRule,
  today: Day,
  creating: boolean,
): Day | null | undefined {
  if (wish === undefined || wish === 'none') {
    if (creating) return rule.enforced ? daysAfter(today, rule.days) : null;
    if (wish === undefined) return undefined;
    if (rule.enforced) throw new SharingFailed('expiry-enforced');
    return null;
  }
  if (wish < today) throw new SharingFailed('expiry-past');
  if (rule.enforced && wish > daysAfter(today, rule.days))
    throw new SharingFailed('expiry-too-far', { days: String(rule.days) });
  return wish;
}
