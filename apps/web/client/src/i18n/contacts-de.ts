/** Texts of the page of contacts. */
export const contacts = {
  removeOne: 'Kontakt {name} entfernen',
  removeAsk: 'Geteiltes bleibt geteilt. Um wieder Kontakte zu werden, braucht es eine neue Einladung.',
  empty: 'Sie haben noch keine Kontakte bei anderen Organisationen.',
  address: 'Adresse',
  invite: 'Jemanden bei einer anderen Organisation einladen',
  whom: 'Für wen',
  make: 'Einladung erstellen',
  asText: 'Oder dies, für Server, die nach einer Einladung fragen.',
  handOver: 'Geben Sie dies weiter. Es wird nicht noch einmal angezeigt.',
  open: '{whom}: offen bis {until}',
  takeBack: 'Zurücknehmen',
  accept: 'Eine Einladung annehmen',
  received: 'Text der Einladung',
  accepted: 'Der Kontakt ist da.',
  waiting: 'Der andere Server hat noch nicht geantwortet. Der Kontakt erscheint dann.',
};

/** Texts of requests for shares, on the same page. */
export const requests = {
  ask: 'Einen Kontakt um eine Datei bitten',
  whom: 'Kontakt',
  what: 'Adresse oder Nummer der Datei',
  send: 'Bitten',
  about: 'Der Kontakt entscheidet. Bei Zustimmung erhalten Sie eine Freigabe, sonst nichts.',
  one: '{share} von {owner}, {since}:',
  removeOne: 'Bitte um {share} an {owner} entfernen',
  state: {
    pending: 'wird gesendet',
    retrying: 'der andere Server ist noch nicht erreichbar',
    delivered: 'gesendet',
    'not-sent': 'der andere Server nimmt keine Bitten an',
    refused: 'vom anderen Server abgelehnt',
    dead: 'konnte nicht zugestellt werden',
  },
};
