const WRITTEN: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Escapes a text for Pango, so that its own markup has no effect. */
export const escapeMarkup = (text: string): string =>
  text.replace(/[&<>]/g, (character) => WRITTEN[character]!);
