import { phrase } from './notification-phrases';

/** States of a federated share that reached no recipient. */
export const UNDELIVERED_STATES = ['refused', 'dead'] as const;
export type UndeliveredState = (typeof UNDELIVERED_STATES)[number];

/** A notification as a person reads it. */
export interface NotificationText {
  /** First line. */
  readonly subject: string;
  /** Further text; empty for none. */
  readonly message: string;
}

/** A federated share, or a change of one, that could not be delivered, and is not tried any more. */
export interface UndeliveredShare {
  readonly state: UndeliveredState;
  /** Name of its node. */
  readonly name: string;
  readonly recipient: string;
  readonly error: string | null;
  /** Whether a partner asked for the share on behalf of its initiator there. */
  readonly isRequested: boolean;
  /** Whether its recipient has it: then only a later change was not delivered. */
  readonly wasDelivered: boolean;
}

/** A request to somebody at a partner for a share that could not be delivered, and is not tried any more. */
export interface UndeliveredRequest {
  /** Whether the partner refused it. */
  readonly isRefused: boolean;
  /** Cloud id of the one who was asked. */
  readonly owner: string;
  /** Id or address of the wanted file. */
  readonly resource: string;
  readonly error: string | null;
}

/** Text for the one who asked. */
export function undeliveredRequestText({
  isRefused,
  owner,
  resource,
  error,
}: UndeliveredRequest): NotificationText {
  const outcome = isRefused ? 'requestRefused' : 'requestUndelivered';
  return { subject: phrase(outcome, { owner, resource }), message: error ?? '' };
}

/** Either the initiator is notified, or the share ends and its requester gets a message. */
export type UndeliveredEffect =
  | { readonly kind: 'notify'; readonly text: NotificationText }
  | { readonly kind: 'end'; readonly isDeclined: boolean };

/** A share that a partner asked for has no initiator here who could try again. A share that its recipient has stays. */
export function afterUndelivered(share: UndeliveredShare): UndeliveredEffect {
  const { state, error, isRequested, wasDelivered } = share;
  if (isRequested && !wasDelivered) return { kind: 'end', isDeclined: state === 'refused' };
  return { kind: 'notify', text: { subject: undeliveredSubject(share), message: error ?? '' } };
}

function undeliveredSubject({ state, name, recipient, wasDelivered }: UndeliveredShare): string {
  if (wasDelivered) return phrase('changeUndelivered', { name, recipient });
  return phrase(state === 'refused' ? 'refused' : 'undelivered', { name, recipient });
}

/** Text for the initiator when the recipient at a partner ends the share. @param reason words of the recipient; null for none */
export function endedByRecipientText(
  recipient: string,
  ended: 'declined' | 'left',
  name: string,
  reason: string | null,
): NotificationText {
  return { subject: phrase(ended, { recipient, name }), message: reason ?? '' };
}

/** Text for the initiator when the recipient at a partner accepts the share. */
export function acceptedText(recipient: string, name: string): NotificationText {
  return { subject: phrase('accepted', { recipient, name }), message: '' };
}

/** A share that ends soon. */
export interface ExpiringShare {
  readonly name: string;
  /** Its last day. */
  readonly expiresOn: string;
}

/** Text for the initiator of a share. @param recipient null for a public link */
export function expiringText({ name, expiresOn }: ExpiringShare, recipient: string | null): NotificationText {
  const subject =
    recipient === null
      ? phrase('linkExpires', { name, day: expiresOn })
      : phrase('expires', { name, recipient, day: expiresOn });
  return { subject, message: '' };
}

/** Text for a recipient of a share. @param sharer its initiator */
export function expiringForRecipientText(
  { name, expiresOn }: ExpiringShare,
  sharer: string,
): NotificationText {
  return { subject: phrase('receivedExpires', { name, sharer, day: expiresOn }), message: '' };
}

/** Text for the owner of a node when a reshare continues without its initiator. @param recipient null for a public link */
export function lostAccessText(initiator: string, name: string, recipient: string | null): NotificationText {
  const subject =
    recipient === null
      ? phrase('lostAccessByLink', { initiator, name })
      : phrase('lostAccess', { initiator, name, recipient });
  return { subject, message: phrase('lostAccessAdvice', {}) };
}
