const TIME = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(?:[.,]\d{1,9})?Z$/;
/** Servers copy changes from each other a little later than they note them. */
const OVERLAP_MS = 5 * 60_000;

/** The latest of times as directories write them (`20261123170000Z`); undefined without one. Source: RFC 4517, section 3.3.13. */
export function marked(times: readonly string[]): string | undefined {
  const whole = times.flatMap((time) => (TIME.test(time) ? `${time.slice(0, 14)}Z` : []));
  // One by one: arguments of a function have a bound.
  return whole.reduce<string | undefined>(
    (latest, time) => (latest === undefined || time > latest ? time : latest),
    undefined,
  );
}

/** A time from which on to read, so that nothing is left out. The fraction is what Active Directory expects. */
export function withOverlap(mark: string): string {
  const time = new Date(Date.parse(mark.replace(TIME, '$1-$2-$3T$4:$5:$6Z')) - OVERLAP_MS);
  return `${time.toISOString().slice(0, 19).replace(/[-T:]/g, '')}.0Z`;
}
