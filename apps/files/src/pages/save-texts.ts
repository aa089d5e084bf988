import type { Language } from '#pages';
import { LinkRefused, type LinkRefusal } from '#sharing';

const en = {
  title: 'Save a link of another server',
  address: 'Address of the link',
  password: 'Password, if it has one',
  save: 'Save',
  saved: 'It is saved: it appears among your files once its server offers it.',
  refused: (refusal: LinkRefusal) => `${new LinkRefused(refusal).message}.`,
};

/** Texts of the page on which a link of another server is saved. */
type SaveTexts = typeof en;

const GERMAN_REFUSALS: Readonly<Record<LinkRefusal, string>> = {
  off: 'Das Teilen zwischen Servern ist hier ausgeschaltet.',
  barred: 'Das Teilen mit diesem Server hat die Verwaltung nicht erlaubt.',
  own: 'Der Link gehört zu diesem Server: Öffnen Sie ihn hier.',
  invalid: 'Das ist keine Adresse eines öffentlichen Links.',
  'too-many': 'Es gab zu viele Versuche. Versuchen Sie es später noch einmal.',
  full: 'Zu viele geteilte Dateien warten schon auf Ihre Entscheidung.',
  unreachable: 'Der Server des Links ist nicht erreichbar.',
  'not-understood': 'An dieser Adresse ist kein Server, der teilt.',
  'wrong-password': 'Der Link braucht ein Passwort, und zwar ein anderes als dieses.',
  'unknown-link': 'Diesen Link gibt es auf seinem Server nicht, oder nicht mehr.',
  unsupported: 'Der Server des Links lässt nicht zu, dass er auf anderen Servern gespeichert wird.',
  refused:
    'Der Server des Links hat abgelehnt: Den Link gibt es nicht, er kann nicht gespeichert werden, oder sein Passwort ist ein anderes.',
};

const de: SaveTexts = {
  title: 'Einen Link eines anderen Servers speichern',
  address: 'Adresse des Links',
  password: 'Passwort, falls er eines hat',
  save: 'Speichern',
  saved: 'Er ist gespeichert: Er erscheint unter Ihren Dateien, sobald sein Server ihn anbietet.',
  refused: (refusal) => GERMAN_REFUSALS[refusal],
};

const TEXTS: Readonly<Record<Language, SaveTexts>> = { en, de };
export const saveTexts = (language: Language): SaveTexts => TEXTS[language];
