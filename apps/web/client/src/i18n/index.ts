import { createI18n } from 'vue-i18n';
import { de } from './de';
import { en } from './en';

const LANGUAGES = ['en', 'de'] as const;

/** Texts in the browser's first supported language, otherwise in English. */
export function createTexts() {
  const wanted = navigator.languages.map((tag) => tag.slice(0, 2));
  const locale =
    wanted.find((tag): tag is (typeof LANGUAGES)[number] => LANGUAGES.some((known) => known === tag)) ?? 'en';
  document.documentElement.lang = locale;
  return createI18n({ legacy: false, locale, fallbackLocale: 'en', messages: { en, de } });
}
