import { createHash } from 'node:crypto';

/** Colours of a picture with initials, as `#rrggbb`. */
interface Colours {
  readonly ground: string;
  readonly ink: string;
}

/** The first letters of the first two words of a name; a question mark for a name without letters. */
export function initialsOf(displayName: string): string {
  const words = displayName
    .trim()
    .split(/\s+/)
    .filter((word) => word !== '');
  const letters = words.slice(0, 2).map((word) => [...word][0]!.toUpperCase());
  return letters.join('') || '?';
}

/** Always the same colours for one account; `isDark` for pages with a dark background. */
export function coloursOf(uid: string, isDark: boolean): Colours {
  const hue = createHash('sha256').update(uid).digest().readUInt16BE() % 360;
  return isDark
    ? { ground: hexOf(hue, 0.4, 0.22), ink: hexOf(hue, 0.6, 0.85) }
    : { ground: hexOf(hue, 0.45, 0.42), ink: '#ffffff' };
}

/** A colour from hue (degrees), saturation and lightness (0 to 1). */
function hexOf(hue: number, saturation: number, lightness: number): string {
  const reach = saturation * Math.min(lightness, 1 - lightness);
  const channel = (offset: number): string => {
    const place = (offset + hue / 30) % 12;
    const value = lightness - reach * Math.max(-1, Math.min(place - 3, 9 - place, 1));
    return Math.round(value * 255)
      .toString(16)
      .padStart(2, '0');
  };
  return `#${channel(0)}${channel(8)}${channel(4)}`;
}
