const TIME = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(?:[.,]\d{1,9})?Z$/;
/** Covers the delay with which servers copy changes from each other. */
const OVERLAP_MS = 5 * 60_000;

/**
 * The latest of several times in the format of directories (`20261123170000Z`); undefined without one. Source: RFC 4517, section 3.3.13.
 */
export function marked(times: readonly string[]): string | undefined {
  const whole = times.flatMap((time) => (TIME.test(time) ? `${time.slice(0, 14)}Z` : []));
  // One by one, because the number of a function's arguments is limited.
  return whole.reduce<string | undefined>(
    (latest, time) => (latest === undefined || time > latest ? time : latest),
    undefined,
  );
}

/** The time for the next reading, early enough to miss nothing. Active Directory expects the fraction. */
export function withOverlap(mark: string): string {
  const time = new Date(Date.parse(mark.replace(TIME, '$1-$2-$3T$4:$5:$6Z')) - OVERLAP_MS);
  return `${time.toISOString().slice(0, 19).replace(/[-T:]/g, '')}.0Z`;
}
