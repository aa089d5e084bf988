import type { Language } from '#pages';

const en = {
  title: 'Not now',
  nothingTitle: 'Nothing here',
  back: 'To the start page',
  throttled: 'There were too many attempts. Try again later.',
  unavailable: 'This cannot be shown at the moment. Try again later.',
  busy: 'The server is busy. Try again in a minute.',
  'not-granted': 'Sign in with your password to do this.',
  'second-factor-needed': 'Set up a second factor first.',
  'signed-out': 'Sign in to go on.',
  'not-found': 'There is nothing at this address.',
  refused: 'This request cannot be answered.',
  failed: 'This went wrong here. Try again later.',
};

/** Texts of failures, by the code of the failure. */
type WebFailureTexts = typeof en;

const de: WebFailureTexts = {
  title: 'Nicht jetzt',
  nothingTitle: 'Hier ist nichts',
  back: 'Zur Startseite',
  throttled: 'Es gab zu viele Versuche. Versuchen Sie es später noch einmal.',
  unavailable: 'Das kann im Moment nicht gezeigt werden. Versuchen Sie es später noch einmal.',
  busy: 'Der Server ist ausgelastet. Versuchen Sie es in einer Minute noch einmal.',
  'not-granted': 'Melden Sie sich dafür mit Ihrem Passwort an.',
  'second-factor-needed': 'Richten Sie zuerst einen zweiten Faktor ein.',
  'signed-out': 'Melden Sie sich an, um fortzufahren.',
  'not-found': 'An dieser Adresse ist nichts.',
  refused: 'Diese Anfrage kann nicht beantwortet werden.',
  failed: 'Das ging hier schief. Versuchen Sie es später noch einmal.',
};

export type WebFailureCode = Exclude<keyof WebFailureTexts, 'title' | 'nothingTitle' | 'back'>;

const TEXTS: Readonly<Record<Language, WebFailureTexts>> = { en, de };
export const webFailureTexts = (language: Language): WebFailureTexts => TEXTS[language];
