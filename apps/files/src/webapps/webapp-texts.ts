import type { Language } from '#pages';

const en = {
  openAt: (name: string, host: string) => `Open ${name} at ${host}`,
};

/** Texts of pages that open web applications. */
type WebappTexts = typeof en;

const de: WebappTexts = {
  openAt: (name, host) => `${name} bei ${host} öffnen`,
};

const TEXTS: Readonly<Record<Language, WebappTexts>> = { en, de };
export const webappTexts = (language: Language): WebappTexts => TEXTS[language];
