/** Texts of the page of the second factor. */
export const secondFactor = {
  title: 'Zweiter Faktor',
  manage: 'Zweiten Faktor einrichten oder abschalten',
  about:
    'Beim Anmelden fragt dieser Server nach Ihrem Passwort nach dem zweiten Faktor: nach einem Passkey oder nach dem Code, den eine App auf Ihrem Telefon zeigt. Andere Apps brauchen dann App-Passwörter.',
  needed: 'Ihr Konto braucht einen zweiten Faktor. Richten Sie ihn ein, um weiterzumachen.',
  begin: 'Eine App einrichten',
  scan: 'Lesen Sie dieses Bild mit der App ein, oder geben Sie den Schlüssel in die App ein. Geben Sie dann den Code ein, den sie zeigt.',
  picture: 'Bild mit dem Schlüssel für die App',
  key: 'Schlüssel',
  code: 'Code',
  confirm: 'Zweiten Faktor einschalten',
  isOn: 'Der zweite Faktor ist eingeschaltet seit {time}. Übrige Wiederherstellungscodes: {count}.',
  codes:
    'Heben Sie diese Wiederherstellungscodes dort auf, wo Sie sie ohne Ihr Telefon finden. Jeder gilt einmal anstelle eines Codes. Sie werden nicht noch einmal gezeigt.',
  goOn: 'Weiter',
  renew: 'Neue Wiederherstellungscodes anlegen',
  passkeys: 'Passkeys',
  passkeysAbout:
    'Ihr Gerät oder ein Sicherheitsschlüssel bewahrt einen Passkey auf. Niemand kann ihn auf der Seite eines Fremden eingeben.',
  passkey: '{name}, seit {time}',
  passkeyName: 'Name des Passkeys',
  addPasskey: 'Passkey hinzufügen',
  remove: 'Entfernen',
  removeNamed: '{name} entfernen',
  turnOff: 'Zweiten Faktor abschalten',
};

/** Texts about the demands of a share on people who open it. */
export const demands = {
  demandFactor: 'Zweiten Faktor verlangen: Nur wer sich damit angemeldet hat, kann es öffnen',
  withFactor: 'mit zweitem Faktor',
  opensTo: 'Öffnet sich für',
  everybody: 'alle, die den Link haben',
  signedIn: 'alle, die hier angemeldet sind',
  signedInWithFactor: 'alle, die hier mit zweitem Faktor angemeldet sind',
};
