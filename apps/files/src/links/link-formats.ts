import { markup, type Html } from '#pages';
import type { LinkTexts } from './link-texts';

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];

/** A text such as `1.5 MB`, in powers of 1000. */
export function sizeText(bytes: number, { locale }: LinkTexts): string {
  let [size, unit] = [bytes, 0];
  while (size >= 999.95 && unit < UNITS.length - 1) [size, unit] = [size / 1000, unit + 1];
  const digits = unit === 0 ? 0 : 1;
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: UNITS[unit],
    unitDisplay: unit === 0 ? 'long' : 'short',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(size);
}

/** A day in UTC; scripts replace it by the visitor's local time. */
export function timeContent(time: Date, { locale }: LinkTexts): Html {
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }).format(time);
  return markup`<time datetime="${time.toISOString()}">${day}</time>`;
}
