/** Sentences of notifications in both languages, with words in braces. If two match one text, the first one counts. */
const PHRASES = {
  offerOnBehalf: {
    en: 'You received "/{name}" as a remote share from {sender} (on behalf of {owner})',
    de: '{sender} hat „/{name}“ von einem anderen Server aus mit Ihnen geteilt (im Namen von {owner})',
  },
  offer: {
    en: 'You received "/{name}" as a remote share from {sender}',
    de: '{sender} hat „/{name}“ von einem anderen Server aus mit Ihnen geteilt',
  },
  offerInDoubt: {
    en: 'The sender is not verified: {server} did not confirm this share.',
    de: 'Der Absender ist nicht bestätigt: {server} hat diese Freigabe nicht bestätigt.',
  },
  pendingOnBehalf: {
    en: '"{sharer}" shared "{name}" with you (on behalf of "{owner}")',
    de: '„{sharer}“ hat „{name}“ mit Ihnen geteilt (im Namen von „{owner}“)',
  },
  pending: { en: '"{sharer}" shared "{name}" with you', de: '„{sharer}“ hat „{name}“ mit Ihnen geteilt' },
  changeUndelivered: {
    en: 'A change of your share "{name}" could not be delivered to {recipient}',
    de: 'Eine Änderung Ihrer Freigabe „{name}“ konnte {recipient} nicht zugestellt werden',
  },
  refused: {
    en: 'Your share "{name}" was refused for {recipient}',
    de: 'Ihre Freigabe „{name}“ für {recipient} wurde abgelehnt',
  },
  undelivered: {
    en: 'Your share "{name}" could not be delivered to {recipient}',
    de: 'Ihre Freigabe „{name}“ konnte {recipient} nicht zugestellt werden',
  },
  givenUpByOperator: {
    en: 'an operator gave it up',
    de: 'Die Betreiber haben es aufgegeben.',
  },
  accepted: {
    en: '{recipient} accepted your share "{name}"',
    de: '{recipient} hat Ihre Freigabe „{name}“ angenommen',
  },
  declined: {
    en: '{recipient} declined your share "{name}"',
    de: '{recipient} hat Ihre Freigabe „{name}“ abgelehnt',
  },
  left: {
    en: '{recipient} left your share "{name}"',
    de: '{recipient} hat Ihre Freigabe „{name}“ verlassen',
  },
  linkExpires: {
    en: 'Your public link to "{name}" ends with {day}',
    de: 'Ihr öffentlicher Link zu „{name}“ endet mit dem {day}',
  },
  expires: {
    en: 'Your share "{name}" with {recipient} ends with {day}',
    de: 'Ihre Freigabe „{name}“ für {recipient} endet mit dem {day}',
  },
  receivedExpires: {
    en: '"{name}", which {sharer} shared with you, ends with {day}',
    de: '„{name}“, von {sharer} mit Ihnen geteilt, endet mit dem {day}',
  },
  lostAccessByLink: {
    en: '{initiator} lost access to "{name}", but still shares it by a public link',
    de: '{initiator} hat den Zugriff auf „{name}“ verloren, teilt es aber noch über einen öffentlichen Link',
  },
  lostAccess: {
    en: '{initiator} lost access to "{name}", but still shares it with {recipient}',
    de: '{initiator} hat den Zugriff auf „{name}“ verloren, teilt es aber noch mit {recipient}',
  },
  lostAccessAdvice: {
    en: 'You can change this share or end it.',
    de: 'Sie können diese Freigabe ändern oder beenden.',
  },
  requestRefused: {
    en: 'Your request to {owner} for "{resource}" was refused',
    de: 'Ihre Anfrage an {owner} nach „{resource}“ wurde abgelehnt',
  },
  requestUndelivered: {
    en: 'Your request to {owner} for "{resource}" could not be delivered',
    de: 'Ihre Anfrage an {owner} nach „{resource}“ konnte nicht zugestellt werden',
  },
  requested: {
    en: '{requester} asks you to share "{name}"',
    de: '{requester} bittet Sie, „{name}“ zu teilen',
  },
  requestedAdvice: {
    en: 'Share it with them if you want that. Nothing is told to them otherwise.',
    de: 'Teilen Sie es, wenn Sie das möchten. Sonst wird dort nichts mitgeteilt.',
  },
  mailUndelivered: {
    en: 'The mail to {address} about "{name}" could not be delivered',
    de: 'Die Mail an {address} über „{name}“ konnte nicht zugestellt werden',
  },
  invitationUndelivered: {
    en: 'The invitation to {address} could not be delivered',
    de: 'Die Einladung an {address} konnte nicht zugestellt werden',
  },
  writeKept: {
    en: '"{name}" could not be stored in "{share}" at {server}',
    de: '„{name}“ konnte nicht in „{share}“ bei {server} gespeichert werden',
  },
  writeKeptAt: {
    en: '{reason} It is kept among your own files: {path}',
    de: '{reason} Es liegt bei Ihren eigenen Dateien: {path}',
  },
  writeChanged: { en: 'It was changed there meanwhile.', de: 'Es wurde dort inzwischen geändert.' },
  writeForbidden: { en: 'The server there does not allow it.', de: 'Der Server dort erlaubt es nicht.' },
  writeNoSpace: { en: 'There is no space for it there.', de: 'Dort ist kein Platz dafür.' },
  writeFolderGone: {
    en: 'The folder for it is not there any more.',
    de: 'Den Ordner dafür gibt es dort nicht mehr.',
  },
  writeEnded: { en: 'The share has ended.', de: 'Die Freigabe ist beendet.' },
  writeLate: {
    en: 'The server there could not be reached for too long.',
    de: 'Der Server dort war zu lange nicht erreichbar.',
  },
  writeGivenUp: { en: 'It was given up here.', de: 'Es wurde hier aufgegeben.' },
  accept: { en: 'Accept', de: 'Annehmen' },
  decline: { en: 'Decline', de: 'Ablehnen' },
} as const;

type Phrases = typeof PHRASES;
export type PhraseName = keyof Phrases;
type Words<Text extends string> = Text extends `${string}{${infer Word}}${infer Rest}`
  ? Word | Words<Rest>
  : never;

const WORD = /\{(\w+)\}/g;
const filled = (template: string, wordOf: (name: string) => string): string =>
  template.replace(WORD, (_found, name: string) => wordOf(name));

/** A sentence as it is stored: in English, which every client understood so far. */
export function phrase<Name extends PhraseName>(
  name: Name,
  words: Readonly<Record<Words<Phrases[Name]['en']>, string>>,
): string {
  return filled(PHRASES[name].en, (word) => (words as Readonly<Record<string, string>>)[word]!);
}

interface Template {
  readonly pattern: RegExp;
  readonly translation: string;
}

const TEMPLATES: readonly Template[] = Object.values(PHRASES).map(({ en, de }) => ({
  pattern: new RegExp(
    `^${en.replace(/[().]/g, '\\$&').replace(WORD, (_found, name: string) => `(?<${name}>.+)`)}$`,
    's',
  ),
  translation: de,
}));

const DAY = new Intl.DateTimeFormat('de', { dateStyle: 'long', timeZone: 'UTC' });

/**
 * The text of a stored notification in a language of the pages. Texts of people, partners and other servers stay as they are. The sentence is
 * recognised, rather than stored with its words apart, so that it is also right for older notifications and for earlier versions.
 */
export function translated(text: string, language: 'en' | 'de'): string {
  if (language === 'en') return text;
  for (const { pattern, translation } of TEMPLATES) {
    const words = pattern.exec(text);
    if (words) return filled(translation, (name) => translatedWord(name, words.groups![name]!));
  }
  return text;
}

function translatedWord(name: string, word: string): string {
  if (name === 'reason') return translated(word, 'de');
  return name === 'day' && /^\d{4}-\d\d-\d\d$/.test(word) ? DAY.format(new Date(word)) : word;
}
