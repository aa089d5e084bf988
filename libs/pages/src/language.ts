import type { IncomingHttpHeaders } from 'node:http';

const LANGUAGES = ['en', 'de'] as const;
/** Languages of the pages. */
export type Language = (typeof LANGUAGES)[number];

const MAX_CHARACTERS = 200;

/** A browser's first supported language, in the order of its header; otherwise English. */
export function languageOf({ 'accept-language': header = '' }: IncomingHttpHeaders): Language {
  const wanted = header
    .slice(0, MAX_CHARACTERS)
    .split(',')
    .map((tag) => tag.trim().slice(0, 2).toLowerCase());
  return wanted.map((tag) => LANGUAGES.find((language) => language === tag)).find(Boolean) ?? 'en';
}
