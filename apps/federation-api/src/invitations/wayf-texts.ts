import type { Language } from '#pages';

const en = {
  title: 'Where are you from?',
  about: (host: string) => `You are invited to share files with somebody at ${host}. Select your own server.`,
  server: 'Your server',
  goOn: 'Continue',
  orText: 'Or give this to your server where it asks for an invitation:',
  acceptAt: (host: string) => `Accept the invitation at ${host}`,
  noDialog: 'This server takes no invitations by a link, or gives no answer. Give it the text below.',
  over: 'There is no such invitation. It may have ended, or been accepted already.',
  later: 'Please try again later.',
};

/** Texts of the page on which an invited person selects their server. */
type WayfTexts = typeof en;

const de: WayfTexts = {
  title: 'Woher kommen Sie?',
  about: (host) =>
    `Sie sind eingeladen, Dateien mit jemandem bei ${host} zu teilen. Wählen Sie Ihren eigenen Server.`,
  server: 'Ihr Server',
  goOn: 'Weiter',
  orText: 'Oder geben Sie dies Ihrem Server, wo er nach einer Einladung fragt:',
  acceptAt: (host) => `Die Einladung bei ${host} annehmen`,
  noDialog:
    'Dieser Server nimmt keine Einladungen über einen Link an oder antwortet nicht. Geben Sie ihm den Text unten.',
  over: 'Diese Einladung gibt es nicht. Vielleicht ist sie abgelaufen oder wurde schon angenommen.',
  later: 'Bitte versuchen Sie es später noch einmal.',
};

const TEXTS: Readonly<Record<Language, WayfTexts>> = { en, de };
export const wayfTexts = (language: Language): WayfTexts => TEXTS[language];
