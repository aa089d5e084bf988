const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** A size in a fitting unit, such as `12 MB`. */
export function formatSize(bytes: number, locale: string): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const maximumFractionDigits = power === 0 ? 0 : 1;
  const unit = UNITS[power];
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit,
    unitDisplay: 'short',
    maximumFractionDigits,
  }).format(bytes / 1000 ** power);
}

/** Day and time. @param time milliseconds since 1970 */
export const formatTime = (time: number, locale: string): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(time);

/** The day of a date without a time zone, such as `2026-11-30 00:00:00`. */
export const formatDay = (date: string, locale: string): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }).format(
    Date.parse(date.slice(0, 10)),
  );
