import { invitationLink, invitationText, localCloudId } from '#federation/protocol';
import type { DueInvitation } from '#persistence';
import type { Mail, MailOrigin } from './share-notice';
import { oneLine } from './one-line';

/** The mail with an invitation for a person at another server: plain text, with the token for accepting it. */
export function invitationNotice(invitation: DueInvitation, origin: MailOrigin): Mail {
  const { id, address, token, description, expiresAt, senderUid, senderAddress } = invitation;
  const sender = oneLine(invitation.senderName);
  const cloudId = localCloudId(senderUid, origin.publicUrl).canonical;
  const note = description === '' ? [] : [`${sender} writes: ${oneLine(description)}`];
  const text = [
    'Hello,',
    `${sender} (${cloudId}) invites you to share files with each other, each at their own server.`,
    ...note,
    'To accept, select your own server on this page:',
    invitationLink(token, origin.publicUrl),
    'Or give this to your server where it asks for an invitation:',
    invitationText(token, origin.publicUrl),
    `It can be accepted once, until ${expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC.`,
  ];
  return {
    id: `<invitation-${id}@${new URL(origin.publicUrl).hostname}>`,
    from: { name: `${sender} via ${origin.productName}`, address: origin.from },
    replyTo: senderAddress === null ? undefined : { name: sender, address: senderAddress },
    to: { name: '', address },
    subject: `${sender} invites you to share files`,
    text: `${text.join('\n\n')}\n`,
  };
}
