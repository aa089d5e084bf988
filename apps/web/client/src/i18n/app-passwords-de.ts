/** Texts of the page of app passwords. */
export const appPasswords = {
  title: 'App-Passwörter',
  about:
    'Ein Passwort für eine App oder ein Gerät, anstelle Ihres eigenen. Es wird einmal gezeigt und endet, wenn Sie es widerrufen; Ihr eigenes Passwort und alle anderen Apps bleiben, wie sie sind.',
  manage: 'App-Passwörter anlegen und widerrufen',
  client: 'App oder Gerät',
  scopes: 'Für',
  files: 'Dateien',
  sharing: 'Teilen',
  administration: 'Verwaltung',
  readOnly: 'Nur lesen',
  lastDay: 'Letzter Tag (leer für kein Ende)',
  create: 'App-Passwort anlegen',
  shownOnce:
    'Geben Sie dies jetzt in der App ein, mit dem Benutzernamen {user}. Es wird nicht noch einmal gezeigt.',
  secret: 'App-Passwort',
  end: 'Endet',
  unused: 'nie',
  revoke: 'Widerrufen',
  revokeNamed: '{name} widerrufen',
  confirm: '{name} widerrufen? Die App wird sofort abgemeldet.',
  empty: 'Sie haben keine App-Passwörter.',
};
