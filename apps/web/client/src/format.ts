const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** Keeps formats by locale: making one takes longer than drawing the rest of a row. */
function kept<Format>(make: (locale: string) => Format): (locale: string) => Format {
  const formats = new Map<string, Format>();
  return (locale) => {
    const known = formats.get(locale) ?? make(locale);
    formats.set(locale, known);
    return known;
  };
}

/** The person's own form of a language: British people write days in another order than Americans. */
const regional = (language: string): string =>
  navigator.languages.find((tag) => tag.slice(0, 2) === language) ?? language;

// The short form of bytes is "9 byte" in English.
const SIZES = UNITS.map((unit, power) =>
  kept(
    (locale) =>
      new Intl.NumberFormat(regional(locale), {
        style: 'unit',
        unit,
        unitDisplay: power === 0 ? 'long' : 'short',
        maximumFractionDigits: power === 0 ? 0 : 1,
      }),
  ),
);
const TIMES = kept(
  (locale) => new Intl.DateTimeFormat(regional(locale), { dateStyle: 'medium', timeStyle: 'short' }),
);
const DAYS = kept(
  (locale) => new Intl.DateTimeFormat(regional(locale), { dateStyle: 'medium', timeZone: 'UTC' }),
);

/** A size in a fitting unit, such as `12 MB`. */
export function formatSize(bytes: number, locale: string): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  return SIZES[power]!(locale).format(bytes / 1000 ** power);
}

/** Day and time. @param time milliseconds since 1970 */
export const formatTime = (time: number, locale: string): string => TIMES(locale).format(time);

/** The day of a date without a time zone, such as `2026-11-30 00:00:00`. */
export const formatDay = (date: string, locale: string): string =>
  DAYS(locale).format(Date.parse(date.slice(0, 10)));
