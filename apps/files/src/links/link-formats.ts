import { markup, type Html } from '#pages';
import type { LinkTexts } from './link-texts';

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];

type Locale = LinkTexts['locale'];

/** Keeps formats by locale: making one takes longer than writing the rest of a row. */
function kept<Format>(make: (locale: Locale) => Format): (locale: Locale) => Format {
  const formats = new Map<Locale, Format>();
  return (locale) => {
    const known = formats.get(locale) ?? make(locale);
    formats.set(locale, known);
    return known;
  };
}

const SIZES = UNITS.map((unit, power) => {
  const digits = power === 0 ? 0 : 1;
  return kept(
    (locale) =>
      new Intl.NumberFormat(locale, {
        style: 'unit',
        unit,
        unitDisplay: power === 0 ? 'long' : 'short',
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
      }),
  );
});
const DAYS = kept((locale) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }));

/** A text such as `1.5 MB`, in powers of 1000. */
export function sizeText(bytes: number, { locale }: LinkTexts): string {
  let [size, power] = [bytes, 0];
  while (size >= 999.95 && power < UNITS.length - 1) [size, power] = [size / 1000, power + 1];
  return SIZES[power]!(locale).format(size);
}

/** A day in UTC; scripts replace it by the visitor's local time. */
export function timeContent(time: Date, { locale }: LinkTexts): Html {
  return markup`<time datetime="${time.toISOString()}">${DAYS(locale).format(time)}</time>`;
}
