/** Texts of the page of app passwords. */
export const appPasswords = {
  title: 'App passwords',
  about:
    'A password for one app or device, in place of your own. It is shown once, and ends when you revoke it; your own password and all other apps stay as they are.',
  manage: 'Make and revoke app passwords',
  client: 'App or device',
  scopes: 'For',
  files: 'Files',
  sharing: 'Sharing',
  administration: 'Administration',
  readOnly: 'Reading only',
  lastDay: 'Last day (empty for no end)',
  create: 'Make an app password',
  shownOnce: 'Type this into the app now, with the user name {user}. It is not shown again.',
  secret: 'App password',
  end: 'Ends',
  unused: 'never',
  revoke: 'Revoke',
  revokeNamed: 'Revoke {name}',
  confirm: 'Revoke {name}? The app is signed out at once.',
  empty: 'You have no app passwords.',
};
