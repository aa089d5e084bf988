import { OCM_TYPES } from '../messages/partner-events';
import { LIMITS } from './wire-fields';

/** A JSON Schema (2020-12) for messages of partners. It describes correct messages; the parsers are more tolerant. */
export interface MessageSchema {
  readonly type: 'object';
  readonly required: readonly string[];
  readonly properties: Readonly<Record<string, unknown>>;
  readonly examples: readonly unknown[];
}

const limited = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength });
const secret = limited(LIMITS.secret);
const address = limited(LIMITS.address);
const word = limited(LIMITS.word);
const bits = { type: 'integer', minimum: 1, maximum: 31 };
const words = { type: 'array', items: word };

/** An offer by Open Cloud Mesh, as `parseOcmOffer` reads it. */
export const OCM_OFFER: MessageSchema = {
  type: 'object',
  required: ['shareWith', 'name', 'providerId', 'owner', 'sender', 'shareType', 'resourceType', 'protocol'],
  properties: {
    shareWith: address,
    name: limited(LIMITS.name),
    description: { type: 'string' },
    providerId: limited(LIMITS.id),
    owner: address,
    sender: address,
    ownerDisplayName: { type: 'string' },
    senderDisplayName: { type: 'string' },
    shareType: { const: 'user' },
    resourceType: { enum: ['file', 'folder'] },
    expiration: { type: 'integer', description: 'Seconds since 1970, in the future; 0 for none.' },
    permissions: bits,
    protocol: {
      type: 'object',
      properties: {
        name: { enum: ['webdav', 'multi'] },
        options: { type: 'object', properties: { sharedSecret: secret } },
        webdav: {
          type: 'object',
          properties: {
            sharedSecret: secret,
            permissions: { ...words, minItems: 1 },
            requirements: words,
            uri: limited(LIMITS.uri),
          },
        },
      },
    },
  },
  examples: [
    {
      shareWith: 'bob@b.example.org',
      name: 'Plans',
      providerId: '17',
      owner: 'alice@a.example.org',
      sender: 'alice@a.example.org',
      shareType: 'user',
      resourceType: 'folder',
      protocol: {
        name: 'multi',
        webdav: { sharedSecret: 'a-shared-secret', permissions: ['read'], uri: 'public.php/webdav/' },
      },
    },
  ],
};

/** A notice by Open Cloud Mesh, as `parseOcmNotice` reads it. */
export const OCM_NOTICE: MessageSchema = {
  type: 'object',
  required: ['notificationType', 'providerId'],
  properties: {
    notificationType: { enum: OCM_TYPES },
    resourceType: { enum: ['file', 'folder'] },
    providerId: limited(LIMITS.id),
    notification: {
      type: 'object',
      properties: {
        sharedSecret: secret,
        grantee: address,
        shareWith: address,
        senderId: limited(LIMITS.id),
        permission: words,
        permissions: bits,
        etag: limited(LIMITS.etag),
        expiration: { type: 'integer', description: 'Seconds since 1970, in the future; 0 for none.' },
        message: { type: 'string' },
        reason: { type: 'string', description: 'Reason of a recipient who declined.' },
      },
    },
  },
  examples: [
    {
      notificationType: 'SHARE_ACCEPTED',
      resourceType: 'file',
      providerId: '17',
      notification: { sharedSecret: 'a-shared-secret' },
    },
  ],
};

/** The acceptance of an invitation, as `parseAcceptedInvitation` reads it. */
export const ACCEPTED_INVITATION: MessageSchema = {
  type: 'object',
  required: ['recipientProvider', 'token', 'userID'],
  properties: {
    recipientProvider: address,
    token: secret,
    userID: limited(LIMITS.id),
    email: { type: 'string' },
    name: { type: 'string' },
  },
  examples: [
    {
      recipientProvider: 'b.example.org',
      token: 'a-token',
      userID: 'bob',
      email: 'bob@b.example.org',
      name: 'Bob',
    },
  ],
};

/** A request for a share, as `parseShareRequest` reads it. */
export const REQUESTED_SHARE: MessageSchema = {
  type: 'object',
  required: ['owner', 'shareWith', 'share'],
  properties: { owner: address, shareWith: address, share: limited(LIMITS.uri) },
  examples: [{ owner: 'alice@a.example.org', shareWith: 'bob@b.example.org', share: '4711' }],
};

/** The exchange of a share's secret for an access token, as `parseTokenRequest` reads it. */
export const TOKEN_REQUEST: MessageSchema = {
  type: 'object',
  required: ['grant_type', 'client_id', 'code'],
  properties: { grant_type: word, client_id: address, code: secret },
  examples: [{ grant_type: 'authorization_code', client_id: 'b.example.org', code: 'a-shared-secret' }],
};

/** An offer in the dialect from before Open Cloud Mesh, as `parseLegacyOffer` reads it. */
export const LEGACY_OFFER: MessageSchema = {
  type: 'object',
  required: ['shareWith', 'token', 'name', 'remoteId', 'owner', 'remote'],
  properties: {
    shareWith: limited(LIMITS.id),
    token: secret,
    name: limited(LIMITS.name),
    remoteId: limited(LIMITS.id),
    owner: limited(LIMITS.id),
    ownerFederatedId: address,
    sharedBy: limited(LIMITS.id),
    sharedByFederatedId: address,
    remote: address,
  },
  examples: [
    {
      shareWith: 'bob',
      token: 'a-shared-secret',
      name: 'Plans',
      remoteId: '17',
      owner: 'alice',
      remote: 'https://a.example.org',
    },
  ],
};

/** A notice in that dialect, as `parseLegacyNotice` reads it. Its address names its kind. */
export const LEGACY_NOTICE: MessageSchema = {
  type: 'object',
  required: ['token'],
  properties: {
    token: secret,
    permissions: bits,
    permission: bits,
    shareWith: address,
    remoteId: limited(LIMITS.id),
  },
  examples: [{ token: 'a-shared-secret' }],
};

/** A call of the handshake of trusted servers, as `readHandshakeCall` reads it. */
export const HANDSHAKE_CALL: MessageSchema = {
  type: 'object',
  required: ['url', 'token'],
  properties: { url: address, token: secret },
  examples: [{ url: 'https://b.example.org', token: 'a-token' }],
};
