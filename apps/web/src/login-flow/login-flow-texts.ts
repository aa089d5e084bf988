import { markup, type Html, type Language } from '#pages';

const en = {
  connect: 'Connect an app',
  asks: (client: string, uid: string): Html =>
    markup`An app that calls itself <strong>${client}</strong> asks for access to the files and shares of <strong>${uid}</strong>.`,
  asked: (time: string, address: string) => `It asked at ${time} UTC, from the address ${address}.`,
  warning:
    'Go on only if you have just started this in an app of your own. If somebody sent you this address, close this page.',
  readOnly: 'Reading only',
  grant: 'Grant access',
  connected: 'The app is connected',
  connectedAbout:
    'You can close this page and go back to the app. Your settings list the app, and you can revoke its access there.',
  over: 'This address is over',
  overAbout: 'It can be used once, and for twenty minutes. Start again in the app.',
};

/** Texts of the pages on which a client gets an app password. */
type LoginFlowTexts = typeof en;

const de: LoginFlowTexts = {
  connect: 'Eine App verbinden',
  asks: (client, uid) =>
    markup`Eine App, die sich <strong>${client}</strong> nennt, fragt nach Zugriff auf die Dateien und das Geteilte von <strong>${uid}</strong>.`,
  asked: (time, address) => `Sie fragte um ${time} UTC, von der Adresse ${address}.`,
  warning:
    'Fahren Sie nur fort, wenn Sie dies gerade in einer eigenen App begonnen haben. Wenn Ihnen jemand diese Adresse geschickt hat, schließen Sie diese Seite.',
  readOnly: 'Nur lesen',
  grant: 'Zugriff erlauben',
  connected: 'Die App ist verbunden',
  connectedAbout:
    'Sie können diese Seite schließen und zur App zurückkehren. Ihre Einstellungen nennen die App, und dort können Sie ihr den Zugriff entziehen.',
  over: 'Diese Adresse gilt nicht mehr',
  overAbout: 'Sie gilt einmal, und zwanzig Minuten lang. Beginnen Sie in der App von vorn.',
};

const TEXTS: Readonly<Record<Language, LoginFlowTexts>> = { en, de };
export const loginFlowTexts = (language: Language): LoginFlowTexts => TEXTS[language];
