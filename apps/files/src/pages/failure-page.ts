import { markup, PageReply, type Language } from '#pages';

/** Titles and sentences of error pages. */
const FAILURES = {
  signIn: {
    en: ['Sign in', 'Sign in to go on.'],
    de: ['Anmelden', 'Melden Sie sich an, um fortzufahren.'],
  },
  disabled: {
    en: ['Account disabled', 'Your account is disabled. Ask the administrator of this server.'],
    de: ['Konto gesperrt', 'Ihr Konto ist gesperrt. Fragen Sie die Verwaltung dieses Servers.'],
  },
  tooMany: {
    en: ['Not now', 'There were too many attempts. Try again later.'],
    de: ['Nicht jetzt', 'Es gab zu viele Versuche. Versuchen Sie es später noch einmal.'],
  },
  unavailable: {
    en: ['Not now', 'This cannot be shown at the moment. Try again later.'],
    de: ['Nicht jetzt', 'Das kann im Moment nicht gezeigt werden. Versuchen Sie es später noch einmal.'],
  },
  viewOnly: {
    en: ['View-only', 'This is shared in view-only mode: it cannot be downloaded.'],
    de: ['Nur zur Ansicht', 'Dies ist nur zur Ansicht geteilt: Es kann nicht heruntergeladen werden.'],
  },
  secondFactor: {
    en: [
      'A second factor is needed',
      'This opens only where you signed in with a second factor. Set one up in your settings, or sign in with it, and open this page again.',
    ],
    de: [
      'Ein zweiter Faktor ist nötig',
      'Dies öffnet sich nur, wenn Sie sich mit einem zweiten Faktor angemeldet haben. Richten Sie ihn in Ihren Einstellungen ein oder melden Sie sich damit an, und öffnen Sie diese Seite noch einmal.',
    ],
  },
  nothing: {
    en: [
      'Nothing here',
      'There is nothing behind this link, or not any more. It may have ended: ask the sender.',
    ],
    de: [
      'Hier ist nichts',
      'Hinter diesem Link ist nichts, oder nichts mehr. Vielleicht ist er abgelaufen: Fragen Sie, wer ihn geschickt hat.',
    ],
  },
  elsewhere: {
    en: [
      'This cannot be opened',
      'The other organisation refuses to open this, or would open it at a host that is not its own. Ask the sender.',
    ],
    de: [
      'Das lässt sich nicht öffnen',
      'Die andere Organisation lehnt ab, dies zu öffnen, oder sie nennt dafür einen fremden Server. Fragen Sie, wer es geteilt hat.',
    ],
  },
  partnerAway: {
    en: ['Not now', 'The server of the other organisation does not answer. Try again later.'],
    de: [
      'Nicht jetzt',
      'Der Server der anderen Organisation antwortet nicht. Versuchen Sie es später noch einmal.',
    ],
  },
  noRoom: {
    en: ['There is no room', 'There is no room left for these files. Ask the sender of the link.'],
    de: ['Kein Platz', 'Für diese Dateien ist kein Platz mehr. Fragen Sie, wer den Link geschickt hat.'],
  },
  infected: {
    en: [
      'A file is refused',
      'Malware was found in a file, or it is too large to be scanned. Files before it were taken.',
    ],
    de: [
      'Eine Datei wird abgelehnt',
      'In einer Datei wurde Schadsoftware gefunden, oder sie ist zu groß für die Prüfung. Dateien davor sind angekommen.',
    ],
  },
  refusedName: {
    en: ['A name is refused', 'Files of such a name are not taken here. Files before it were taken.'],
    de: [
      'Ein Name wird abgelehnt',
      'Dateien mit einem solchen Namen werden hier nicht angenommen. Dateien davor sind angekommen.',
    ],
  },
  refused: {
    en: ['This cannot be answered', 'There is nothing behind this link, or not any more.'],
    de: ['Das kann nicht beantwortet werden', 'Hinter diesem Link ist nichts, oder nichts mehr.'],
  },
  failed: {
    en: ['This went wrong', 'The page could not be made. Try again later.'],
    de: ['Das ging schief', 'Die Seite konnte nicht erstellt werden. Versuchen Sie es später noch einmal.'],
  },
} as const satisfies Readonly<
  Record<string, Readonly<Record<Language, readonly [title: string, text: string]>>>
>;

export function failurePage(
  status: number,
  failure: keyof typeof FAILURES,
  language: Language,
  retryAfterSeconds?: number,
): PageReply {
  const [title, text] = FAILURES[failure][language];
  return new PageReply(status, title, markup`<p>${text}</p>`, { language, retryAfterSeconds });
}
