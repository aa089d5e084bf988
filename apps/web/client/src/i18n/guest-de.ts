/** Texts for visitors of public links, beside those of the server. */
export const guest = {
  drop: 'Oder ziehen Sie Dateien und Ordner auf diese Seite.',
  own: 'Sie haben hochgeladen',
  needsPassword:
    'Diese Seite war zu lange offen. Öffnen Sie sie erneut, geben Sie das Passwort ein und wählen Sie die Dateien noch einmal aus.',
  reload: 'Seite erneut öffnen',
  downloadChosen: 'Auswahl als ZIP herunterladen ({count}: {size})',
};
