import type { Messages } from './en';

/** Texte über Dateien, die darauf warten, in Ordner von Partnern geschrieben zu werden. */
export const storedWrites: Messages['storedWrites'] = {
  title: 'Warten auf andere Organisationen',
  about:
    'Dateien, die Sie in Ordner anderer Organisationen geschrieben haben und die deren Server noch nicht hat. Sie werden von selbst zugestellt.',
  share: 'Ordner',
  at: '{share} auf {partner}',
  state: {
    waiting: 'wartet; nächster Versuch: {next}',
    'under-way': 'wird zugestellt',
    'given-up': 'wurde aufgegeben und wird eine eigene Datei',
    refused: 'wurde abgelehnt und wird eine eigene Datei, sobald Platz dafür ist',
  },
  retry: 'Jetzt versuchen',
  retryOne: 'Jetzt versuchen: {path}',
  giveUp: 'Aufgeben',
  giveUpOne: 'Aufgeben: {path}',
  consequence:
    'Der andere Server bekommt sie nicht mehr. Sie wird eine Datei unter Ihren eigenen, und eine Benachrichtigung sagt, wo sie liegt.',
};
