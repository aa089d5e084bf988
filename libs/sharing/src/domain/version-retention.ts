/** The rule that decides which versions of a file are kept. */
interface VersionRetention {
  /** Whether versions are removed at all. */
  readonly removes: boolean;
  /** Whether fewer versions are kept as they get older. */
  readonly thins: boolean;
  /** Versions younger than this are never removed. */
  readonly atLeastDays: number;
  /** Versions older than this are removed. */
  readonly atMostDays: number;
}

/** One version, as far as the rule checks it. */
export interface AgingVersion {
  readonly id: number;
  /** Time at which the content was stored here. */
  readonly storedAt: Date;
  /** Whether a user gave it a name. */
  readonly isNamed: boolean;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;

/** Up to each age, one version is kept per period. Each period is a multiple of those above it. */
const STRETCHES = [
  { untilAge: MINUTE, length: SECOND },
  { untilAge: HOUR, length: MINUTE },
  { untilAge: DAY, length: HOUR },
  { untilAge: 30 * DAY, length: DAY },
  { untilAge: Infinity, length: WEEK },
] as const;

/** Number of newest versions that are kept regardless of their age. */
export const NEWEST_KEPT = 10;

/**
 * Reads a rule in the form that deployed servers know: `auto`, `disabled`, or a pair of days or `auto`: the first is
 * the minimum age for removal, the second the maximum age. undefined for anything else.
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

/** Versions that were stored after this time may not be removed, even if there is no room for them. */
export function protectedSince({ atLeastDays }: VersionRetention, now: Date): Date {
  return new Date(Number.isFinite(atLeastDays) ? now.getTime() - atLeastDays * DAY : 0);
}

/**
 * Ids of the versions of one file that are removed. The first version of each period stays, so the result does not depend on how
 * often this runs.
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

/** Clocks may differ, so a time in the future counts as new. */
function stretchOf({ storedAt }: AgingVersion, age: number): string {
  const { length } = STRETCHES.find(({ untilAge }) => age < untilAge) ?? STRETCHES[4];
  return `${length} ${Math.floor(storedAt.getTime() / length)}`;
}
