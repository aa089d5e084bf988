import type { Language } from '#pages';

const en = {
  title: 'Accept an invitation',
  server: 'Server that invites you',
  token: 'Token of the invitation',
  accept: 'Accept',
  outcomes: {
    yes: 'The invitation is accepted: the one who invited you is among your contacts.',
    later: 'The server of the invitation did not answer yet. The contact appears when it does.',
    no: 'The invitation could not be accepted. It may have ended, or been accepted already, or its server is away.',
  } as Readonly<Record<string, string>>,
};

/** Texts of the page on which an invitation is accepted. */
type InvitationTexts = typeof en;

const de: InvitationTexts = {
  title: 'Eine Einladung annehmen',
  server: 'Server, der Sie einlädt',
  token: 'Token der Einladung',
  accept: 'Annehmen',
  outcomes: {
    yes: 'Die Einladung ist angenommen: Wer Sie eingeladen hat, ist unter Ihren Kontakten.',
    later: 'Der Server der Einladung hat noch nicht geantwortet. Sobald er antwortet, erscheint der Kontakt.',
    no: 'Die Einladung konnte nicht angenommen werden. Vielleicht ist sie abgelaufen oder wurde schon angenommen, oder ihr Server ist nicht erreichbar.',
  },
};

const TEXTS: Readonly<Record<Language, InvitationTexts>> = { en, de };
export const invitationTexts = (language: Language): InvitationTexts => TEXTS[language];
