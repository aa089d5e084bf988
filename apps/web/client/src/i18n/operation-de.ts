import type { Messages } from './en';

/** Texte der Seiten des Betriebs. */
export const operation: Messages['operation'] = {
  yes: 'ja',
  no: 'nein',
  defaultIs: 'Vorgabe: {value}',
  overview: {
    title: 'Überblick',
    perMinute: 'Nachrichten pro Minute',
    messages: 'Nachrichten zur gleichen Zeit',
    delivered: 'zugestellt',
    givenUp: 'aufgegeben',
    waiting: 'wartend',
    dead: 'aufgegeben',
    noSamples: 'Es gibt noch keine Zahlen. Jede Minute kommen neue hinzu.',
    failing: 'Nachrichten, die fehlschlagen, nach Klasse',
    hanging: 'Partner, die Nachrichten warten lassen',
    minutes: 'seit {minutes} Minuten',
    processes: 'Prozesse',
    health: 'Datenbank und Warteschlangen',
    connections: '{connections} von {maxConnections} Verbindungen',
    queue: 'Aufträge in der Warteschlange {name}',
    away: 'antwortet nicht',
  },
  span: { hours: 'Letzte 24 Stunden', days: 'Letzte 30 Tage' },
  figure: {
    pending: 'Warten',
    queued: 'Sind in der Warteschlange',
    inflight: 'Werden gesendet',
    dead: 'Wurden aufgegeben',
    broken: 'Partner, die nicht antworten',
    contentShut: 'Partner, deren Dateien nicht antworten',
    paused: 'Angehaltene Partner',
  },
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
  delivery: {
    share: 'Kennung einer Freigabe',
    trace: 'Trace:',
    request: 'Anfrage:',
    replayAll:
      'Alles, was aufgegeben wurde, wird mit seinem alten Inhalt noch einmal gesendet; nur von dem Partner, der Art und der Freigabe oben, wo sie genannt sind. Nachrichten, zu denen seither anderes gesagt wurde, bleiben, wie sie sind.',
    discard:
      'Der Partner erfährt nie davon. Ihr Inhalt, etwa das Ende einer Freigabe, bleibt dort unbekannt, bis sie noch einmal gesendet wird.',
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
