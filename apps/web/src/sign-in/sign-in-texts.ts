import type { Language } from '#pages';

/** Reason why the form is shown again. */
export type SignInFault =
  | 'wrong'
  | 'wrongCode'
  | 'wrongPasskey'
  | 'over'
  | 'disabled'
  | 'throttled'
  | 'busy'
  | 'refusedByIssuer';

export interface SignInTexts {
  readonly title: string;
  readonly user: string;
  readonly password: string;
  readonly signIn: string;
  readonly signInBy: string;
  readonly factorTitle: string;
  readonly factorAbout: string;
  readonly code: string;
  readonly goOn: string;
  readonly byPasskey: string;
  readonly passkeyFailed: string;
  readonly faults: Readonly<Record<SignInFault, string>>;
  readonly tlsTitle: string;
  readonly tlsText: string;
}

/** Texts of the sign-in. */
export const SIGN_IN_TEXTS: Readonly<Record<Language, SignInTexts>> = {
  en: {
    title: 'Sign in',
    user: 'User name',
    password: 'Password',
    signIn: 'Sign in',
    signInBy: 'Sign in by',
    factorTitle: 'Second factor',
    factorAbout:
      'Type the code that your app shows now, or one of your recovery codes. With a passkey, no code is needed.',
    code: 'Code',
    goOn: 'Go on',
    byPasskey: 'Use a passkey',
    passkeyFailed: 'The browser gave no passkey. Try again, or type a code.',
    faults: {
      wrong: 'The user name or the password is wrong. Passwords are case-sensitive.',
      wrongCode: 'The code is wrong, or was used before. Wait for the next one.',
      wrongPasskey: 'That passkey does not count here. Try again.',
      over: 'This took too long. Begin again.',
      disabled: 'This account is disabled. Ask the people who run this server.',
      throttled: 'There were too many wrong passwords. Wait a few minutes, then try again.',
      busy: 'The server is busy at the moment. Try again in a minute.',
      refusedByIssuer:
        'You were not signed in there, or may not use this server. Try again, or ask the people who run it.',
    },
    tlsTitle: 'A secure connection is needed',
    tlsText:
      'Browsers keep people signed in over HTTPS only. Open this server by its https:// address. The people who run it set that address as PUBLIC_URL.',
  },
  de: {
    title: 'Anmelden',
    user: 'Benutzername',
    password: 'Passwort',
    signIn: 'Anmelden',
    signInBy: 'Anmelden über',
    factorTitle: 'Zweiter Faktor',
    factorAbout:
      'Geben Sie den Code ein, den Ihre App jetzt zeigt, oder einen Ihrer Wiederherstellungscodes. Mit einem Passkey brauchen Sie keinen Code.',
    code: 'Code',
    goOn: 'Weiter',
    byPasskey: 'Passkey verwenden',
    passkeyFailed:
      'Der Browser gab keinen Passkey. Versuchen Sie es noch einmal oder geben Sie einen Code ein.',
    faults: {
      wrong: 'Der Benutzername oder das Passwort ist falsch. Achten Sie auf Groß- und Kleinschreibung.',
      wrongPasskey: 'Dieser Passkey zählt hier nicht. Versuchen Sie es noch einmal.',
      wrongCode: 'Der Code ist falsch oder wurde schon benutzt. Warten Sie auf den nächsten.',
      over: 'Das hat zu lange gedauert. Beginnen Sie noch einmal.',
      disabled: 'Dieses Konto ist gesperrt. Fragen Sie die Betreiber dieses Servers.',
      throttled:
        'Es gab zu viele falsche Passwörter. Warten Sie einige Minuten und versuchen Sie es dann noch einmal.',
      busy: 'Der Server ist im Moment ausgelastet. Versuchen Sie es in einer Minute noch einmal.',
      refusedByIssuer:
        'Sie wurden dort nicht angemeldet oder dürfen diesen Server nicht benutzen. Versuchen Sie es noch einmal oder fragen Sie die Betreiber.',
    },
    tlsTitle: 'Eine sichere Verbindung ist nötig',
    tlsText:
      'Browser bleiben nur über HTTPS angemeldet. Öffnen Sie diesen Server über seine https://-Adresse. Die Betreiber setzen diese Adresse als PUBLIC_URL.',
  },
};
