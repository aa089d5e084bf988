import type { Messages } from './en';

/** Texte der Seiten des Betriebs. */
export const operation: Messages['operation'] = {
  yes: 'ja',
  no: 'nein',
  partner: {
    files: 'Seine Dateien',
    waiting: 'Nachrichten, die warten',
    lastDelivery: 'Letzte Zustellung',
    product: 'Art des Servers',
    dialects: 'Dialekte, in der Reihenfolge der Versuche',
    pinned: 'Dialekte sind festgelegt',
    signBy: 'Nachrichten an ihn werden signiert mit',
    signs: 'Signiert, was er sendet',
    unreadable: 'Signaturen von ihm, die nicht lesbar sind',
    limits: 'Grenzen',
    limitsAre:
      '{concurrency} gleichzeitig, {ratePerSecond} pro Sekunde, {rateBurst} auf einmal nach einer Pause',
    concurrency: 'Zustellungen gleichzeitig',
    rate: 'Zustellungen pro Sekunde',
    burst: 'Zustellungen auf einmal nach einer Pause',
    aliasOf: 'Ist jetzt zu finden unter',
    discoveryError: 'Letzter Fehler bei der Frage, was er spricht',
    keys: 'Fingerabdrücke seiner Schlüssel',
    noKeys: 'Kein Schlüssel von ihm ist bekannt.',
    failures: 'Letzte Fehler',
    noFailures: 'Nichts ist fehlgeschlagen.',
  },
  change: {
    title: '{action}: {host}',
    pause: 'Anhalten',
    resume: 'Zurücksetzen und jetzt senden',
    pin: 'Dialekte festlegen',
    unpin: 'Dialekte freigeben',
    signatures: 'Signaturen wählen',
    limits: 'Grenzen ändern',
  },
  consequence: {
    pause:
      'Ihm wird nichts gesendet, bis er fortgesetzt wird. Nachrichten bleiben bis zu ihren Fristen erhalten.',
    resume:
      'Seine Fehler werden vergessen, und alles, was auf ihn wartet, wird jetzt gesendet. Antwortet er weiterhin nicht, wird er wieder in Ruhe gelassen.',
    pin: 'Mit ihm wird nur in diesen Dialekten gesprochen, in dieser Reihenfolge, was immer er von sich sagt. Nachrichten schlagen fehl, wenn er sie nicht spricht.',
    unpin: 'Was er von sich sagt, entscheidet wieder, wie mit ihm gesprochen wird.',
    signatures:
      'Alle Nachrichten an ihn werden ab jetzt so signiert. Er kann Nachrichten ablehnen, deren Signatur er nicht prüfen kann. Wo seine eigenen unlesbaren Signaturen als keine gelten, werden seine Nachrichten wie unsignierte beurteilt.',
    limits:
      'Nachrichten an ihn gehen ab jetzt schneller oder langsamer hinaus. Hohe Grenzen können seinen Server überlasten.',
  },
  scheme: {
    default: 'wie er ankündigt',
    rfc9421: 'RFC 9421',
    cavage: 'dem älteren Entwurf (cavage)',
    none: 'gar nicht',
  },
  unreadable: { refuse: 'werden abgelehnt', ignore: 'gelten als keine' },
};
