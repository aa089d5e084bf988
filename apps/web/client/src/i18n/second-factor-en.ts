/** Texts of the page of the second factor. */
export const secondFactor = {
  title: 'Second factor',
  manage: 'Set up or turn off the second factor',
  about:
    'When you sign in, this server asks for it behind your password: for a passkey, or for the code that an app on your phone shows. Other apps then need app passwords.',
  needed: 'Your account needs a second factor. Set it up to go on.',
  begin: 'Set up an app',
  scan: 'Scan this picture with the app, or type the key into it. Then type the code that it shows.',
  picture: 'Picture with the key for the app',
  key: 'Key',
  code: 'Code',
  confirm: 'Turn the second factor on',
  isOn: 'The second factor is on since {time}. Recovery codes left: {count}.',
  codes:
    'Keep these recovery codes where you find them without your phone. Each works once in place of a code. They are not shown again.',
  goOn: 'Go on',
  renew: 'Make new recovery codes',
  turnOff: 'Turn the second factor off',
  passkeys: 'Passkeys',
  passkeysAbout:
    'Your device or a security key keeps a passkey. Nobody can type it into the page of a stranger.',
  passkey: '{name}, since {time}',
  passkeyName: 'Name of the passkey',
  addPasskey: 'Add a passkey',
  remove: 'Remove',
  removeNamed: 'Remove {name}',
};

/** Texts about the demands of a share on people who open it. */
export const demands = {
  demandFactor: 'Ask for a second factor: only people who signed in with one can open it',
  withFactor: 'with a second factor',
  opensTo: 'Opens to',
  everybody: 'everybody who has the link',
  signedIn: 'people who are signed in here',
  signedInWithFactor: 'people who signed in here with a second factor',
};
