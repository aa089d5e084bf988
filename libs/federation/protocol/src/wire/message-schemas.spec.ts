import { parseTokenRequest } from '../access/token-request';
import { parseAcceptedInvitation } from '../invitations/accepted-invitation';
import { readHandshakeCall } from '../trust/trusted-handshake';
import {
  ACCEPTED_INVITATION,
  REQUESTED_SHARE,
  HANDSHAKE_CALL,
  LEGACY_NOTICE,
  LEGACY_OFFER,
  OCM_NOTICE,
  OCM_OFFER,
  TOKEN_REQUEST,
  type MessageSchema,
} from './message-schemas';
import { parseLegacyNotice, parseOcmNotice } from './notice';
import { parseShareRequest } from './share-request';
import { parseLegacyOffer, parseOcmOffer } from './share-offer';

type Message = Readonly<Record<string, unknown>>;

/** Each schema with its parser, which throws or returns nothing for invalid messages. */
const READ: readonly [string, MessageSchema, (message: Message) => unknown][] = [
  ['an offer', OCM_OFFER, (message) => parseOcmOffer(message, new Date())],
  ['a notice', OCM_NOTICE, parseOcmNotice],
  ['an acceptance', ACCEPTED_INVITATION, parseAcceptedInvitation],
  ['a request for a share', REQUESTED_SHARE, parseShareRequest],
  ['a request for a token', TOKEN_REQUEST, (message) => parseTokenRequest(JSON.stringify(message))],
  ['an offer of old', LEGACY_OFFER, parseLegacyOffer],
  ['a call of the handshake', HANDSHAKE_CALL, readHandshakeCall],
];

function isTaken(read: (message: Message) => unknown, message: Message): boolean {
  try {
    return read(message) !== undefined;
  } catch {
    return false;
  }
}

describe.each(READ)('the schema of %s matches its parser:', (_name, schema, read) => {
  const example = schema.examples[0] as Message;
  const limits = Object.entries(schema.properties as Record<string, { maxLength?: number }>).filter(
    ([name, { maxLength }]) => maxLength !== undefined && name in example,
  );

  it('for the example', () => {
    expect(isTaken(read, example)).toBe(true);
    expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(Object.keys(example)));
  });

  it.each(schema.required)('a message without %s is refused', (name) => {
    expect(isTaken(read, { ...example, [name]: undefined })).toBe(false);
  });

  it.each(limits)('for a limit of %s', (name, { maxLength }) => {
    expect(isTaken(read, { ...example, [name]: 'x'.repeat(maxLength! + 1) })).toBe(false);
  });
});

it('each kind of notice in the schema is known', () => {
  const { notificationType } = OCM_NOTICE.properties as { notificationType: { enum: string[] } };
  const notification = {
    ...{ sharedSecret: 's', shareWith: 'bob@b.example.org', senderId: '3', permission: ['read'] },
    ...{ protocol: { webdav: { permissions: ['read'] } }, etag: 'e7a9' },
  };
  for (const type of notificationType.enum)
    expect(parseOcmNotice({ notificationType: type, providerId: '1', notification })).toBeDefined();
});

it('a legacy notice is read with its token', () => {
  const message = LEGACY_NOTICE.examples[0] as Message;
  expect(parseLegacyNotice('accept', '1', message).sharedSecret!.reveal()).toBe(message.token);
});
