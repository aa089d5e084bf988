const WRITTEN: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** A text as Pango shows it, without any markup of its own. */
export const escapeMarkup = (text: string): string =>
  text.replace(/[&<>]/g, (character) => WRITTEN[character]!);
