/** Which versions of a file stay. */
interface VersionRetention {
  /** Whether versions are removed at all. */
  readonly removes: boolean;
  /** Whether versions become fewer with their age. */
  readonly thins: boolean;
  /** Versions of fewer days are not removed, whatever else asks for it. */
  readonly atLeastDays: number;
  /** Versions of more days are removed. */
  readonly atMostDays: number;
}

/** One version, as far as the rule checks it. */
export interface AgingVersion {
  readonly id: number;
  /** When the content came here. */
  readonly storedAt: Date;
  /** Somebody gave it a name. */
  readonly isNamed: boolean;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;

/** Up to an age, one version stays of each stretch of time. Each stretch is a whole number of those above it. */
const STRETCHES = [
  { untilAge: MINUTE, length: SECOND },
  { untilAge: HOUR, length: MINUTE },
  { untilAge: DAY, length: HOUR },
  { untilAge: 30 * DAY, length: DAY },
  { untilAge: Infinity, length: WEEK },
] as const;

/** The newest versions of a file are not thinned out, whatever their age. */
export const NEWEST_KEPT = 10;

/**
 * Reads a rule in the form that deployed servers know: `auto`, `disabled`, or two of days and `auto`, of which the first says for how
 * long versions stay at least and the second for how long at most. undefined for anything else.
 */
export function parseRetention(text: string): VersionRetention | undefined {
  if (text === 'disabled')
    return { removes: false, thins: false, atLeastDays: Infinity, atMostDays: Infinity };
  const [least, most = 'auto', ...more] = text.split(',').map((part) => part.trim());
  if (least === undefined || more.length > 0) return undefined;
  if (![least, most].every((part) => part === 'auto' || /^\d{1,5}$/.test(part))) return undefined;
  const atLeastDays = least === 'auto' ? 0 : Number(least);
  const atMostDays = most === 'auto' ? Infinity : Math.max(Number(most), atLeastDays);
  return { removes: true, thins: least === 'auto' || most === 'auto', atLeastDays, atMostDays };
}

/** Versions that were stored later may not be removed, even where there is no room for them. */
export function protectedSince({ atLeastDays }: VersionRetention, now: Date): Date {
  return new Date(Number.isFinite(atLeastDays) ? now.getTime() - atLeastDays * DAY : 0);
}

/**
 * The versions of one file that are removed, by their ids. Of each stretch of time the first version stays, so that what stays does
 * not depend on how often this is asked.
 * @param versions in any order
 */
export function outdatedVersions(
  versions: readonly AgingVersion[],
  retention: VersionRetention,
  now: Date,
): number[] {
  if (!retention.removes) return [];
  const newestFirst = [...versions].sort((a, b) => b.id - a.id);
  const taken = new Set<string>();
  const outdated: number[] = [];
  for (const [index, version] of [...newestFirst.entries()].reverse()) {
    const age = now.getTime() - version.storedAt.getTime();
    const stretch = stretchOf(version, age);
    const isFirst = !taken.has(stretch);
    taken.add(stretch);
    if (age < retention.atLeastDays * DAY) continue;
    const isThinned = retention.thins && !isFirst && !version.isNamed && index >= NEWEST_KEPT;
    if (age > retention.atMostDays * DAY || isThinned) outdated.push(version.id);
  }
  return outdated;
}

/** Clocks may differ: a time in the future counts as new. */
function stretchOf({ storedAt }: AgingVersion, age: number): string {
  const { length } = STRETCHES.find(({ untilAge }) => age < untilAge) ?? STRETCHES[4];
  return `${length} ${Math.floor(storedAt.getTime() / length)}`;
}
