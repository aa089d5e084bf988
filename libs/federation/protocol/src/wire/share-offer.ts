import { CloudIdInvalid, parseCloudId, type FederatedCloudId } from '../addresses/federated-cloud-id';
import { peerKeyOf } from '../addresses/host-and-path';
import type { Dialect } from '../dialects/dialect-name';
import type { SecretText } from '../secret-text';
import { readWebapp, type OfferedWebapp } from '../webapps/webapp-offer';
import { readExpiry } from './expiry';
import { FederationRefused } from './federation-refusal';
import { permissionsOf } from './permission-words';
import { LIMITS, WireFields } from './wire-fields';

/** `unknown` if the sender does not say: ownCloud calls folders files, too. */
type OfferedKind = 'file' | 'folder' | 'unknown';

/** Kinds of recipients, in the words of OCM. */
export const OFFERED_SHARE_TYPES = ['user', 'group', 'federation'] as const;
type OfferedShareType = (typeof OFFERED_SHARE_TYPES)[number];

/** A partner's offer of a share to one of our accounts. */
export interface ShareOffer {
  readonly dialect: Dialect;
  /** `federation` means a group across servers: its local members are in a group here. */
  readonly shareType: OfferedShareType;
  /** The part of `shareWith` before the host, as it was written: the id of an account, or of a group. */
  readonly recipientId: string;
  readonly name: string;
  readonly kind: OfferedKind;
  /** The sender's id of the share: a number, or any text from products of the reva family. */
  readonly providerId: string;
  readonly sharedSecret: SecretText;
  readonly owner: FederatedCloudId;
  /** The initiator. It is the owner unless the sender names another person. */
  readonly sender: FederatedCloudId;
  readonly ownerDisplayName: string;
  readonly senderDisplayName: string;
  readonly description: string;
  /** Bits; null if only the share's own properties contain them. */
  readonly permissions: number | null;
  /** Address of its content, absolute or relative to the sender; null for the root from discovery. */
  readonly webdavUri: string | null;
  /** Requirements that the recipient must meet before they may read, such as `must-exchange-token`. */
  readonly requirements: readonly string[];
  /** Web application at the sender's server; null for none that can be opened here. */
  readonly webapp: OfferedWebapp | null;
  /** Whether its content is read by WebDAV; otherwise it has only the web application. */
  readonly hasFiles: boolean;
  /** UNIX seconds; null for none. */
  readonly expiresAt: number | null;
}

const OCM_REQUIRED = ['shareWith', 'name', 'providerId', 'owner', 'shareType', 'resourceType'];
const LEGACY_REQUIRED = ['shareWith', 'token', 'name', 'remoteId', 'owner', 'remote'];

/**
 * Reads `POST {endPoint}/shares` of OCM 1.0 to 1.4, as ownCloud, Nextcloud, oCIS, OpenCloud and reva send it.
 *
 * @param body any parsed JSON
 * @param now an offer that has expired by then is refused
 * @throws FederationRefused
 */
export function parseOcmOffer(body: unknown, now: Date): ShareOffer {
  const fields = new WireFields(body);
  fields.require(OCM_REQUIRED);
  // Older Nextcloud servers write `sharedBy`.
  if (fields.text('sharedBy', LIMITS.address) === undefined) fields.require(['sender']);
  const shareType = readShareType(fields);
  const content = readProtocol(fields, readKind(fields));
  const reached = (id: FederatedCloudId): FederatedCloudId =>
    reachedLike(content.webdavUri ?? (content.hasFiles ? null : content.webapp!.uri), id);
  const owner = reached(address(fields, 'owner'));
  return {
    ...content,
    // Our own instances also send the exact bits of the words.
    permissions: fields.bits('permissions') ?? content.permissions,
    shareType,
    recipientId: recipientOf(fields),
    name: nodeName(fields),
    providerId: fields.text('providerId', LIMITS.id)!,
    owner,
    sender: reached(optionalAddress(fields, 'sender') ?? optionalAddress(fields, 'sharedBy') ?? owner),
    ownerDisplayName: fields.displayName('ownerDisplayName'),
    senderDisplayName: fields.displayName('senderDisplayName') || fields.displayName('sharedByDisplayName'),
    description: fields.shown('description', LIMITS.text),
    expiresAt: readExpiry(fields, now),
  };
}

/**
 * Reads the form of `POST /ocs/v{1,2}.php/cloud/shares`.
 * @throws FederationRefused
 */
export function parseLegacyOffer(form: unknown): ShareOffer {
  const fields = new WireFields(form);
  fields.require(LEGACY_REQUIRED);
  const remote = fields.text('remote', LIMITS.address)!;
  const at = (uid: string): FederatedCloudId =>
    uid.includes('@') ? reachedBy(remote, cloudId(uid, 'remote')) : cloudId(`${uid}@${remote}`, 'remote');
  const ownerUid = fields.text('owner', LIMITS.id)!;
  const owner = reachedBy(remote, legacyOwner(fields, cloudId(`${ownerUid}@${remote}`, 'remote')));
  // ownCloud sends the bare user id as `sharedByFederatedId`.
  const sharedBy = fields.text('sharedByFederatedId', LIMITS.address) ?? fields.text('sharedBy', LIMITS.id);
  return {
    dialect: 'legacy',
    shareType: 'user',
    recipientId: fields.text('shareWith', LIMITS.id)!,
    name: nodeName(fields),
    kind: 'unknown',
    providerId: fields.text('remoteId', LIMITS.id)!,
    sharedSecret: fields.secret('token')!,
    owner,
    sender: sharedBy === undefined || sharedBy === ownerUid ? owner : at(sharedBy),
    ownerDisplayName: owner.user,
    senderDisplayName: sharedBy ?? owner.user,
    description: '',
    permissions: null,
    webdavUri: null,
    requirements: [],
    webapp: null,
    hasFiles: true,
    expiresAt: null,
  };
}

/** `remote` names the scheme of its accounts; ids of ownCloud and Nextcloud often leave it out. */
function reachedBy(remote: string, id: FederatedCloudId): FederatedCloudId {
  const atRemote = cloudId(`${id.userAsWritten}@${remote}`, 'remote');
  return id.scheme === null && peerKeyOf(id) === peerKeyOf(atRemote) ? atRemote : id;
}

/** Ids of OCM have no scheme: if the content is at a plain http address, the server is reached by http, too. */
function reachedLike(webdavUri: string | null, id: FederatedCloudId): FederatedCloudId {
  const content = webdavUri === null ? null : URL.parse(webdavUri);
  const isThere = content?.protocol === 'http:' && content.host === peerKeyOf({ ...id, path: '' });
  return isThere ? reachedBy(`http://${peerKeyOf(id)}`, id) : id;
}

/** The owner has to be on the sending server: another host is refused, so that no server speaks for another one. */
function legacyOwner(fields: WireFields, atRemote: FederatedCloudId): FederatedCloudId {
  const owner = optionalAddress(fields, 'ownerFederatedId') ?? atRemote;
  if (peerKeyOf(owner) !== peerKeyOf(atRemote))
    throw new FederationRefused('field-invalid', 'ownerFederatedId');
  return owner;
}

function readShareType(fields: WireFields): OfferedShareType {
  const word = fields.text('shareType', LIMITS.word)!;
  const shareType = OFFERED_SHARE_TYPES.find((known) => known === word);
  if (shareType === undefined) throw new FederationRefused('share-type-unsupported', word);
  return shareType;
}

function readKind(fields: WireFields): 'file' | 'folder' {
  const resourceType = fields.text('resourceType', LIMITS.word)!;
  if (resourceType === 'file' || resourceType === 'folder') return resourceType;
  throw new FederationRefused('resource-type-unsupported', resourceType);
}

type Content = Pick<
  ShareOffer,
  'dialect' | 'kind' | 'sharedSecret' | 'permissions' | 'webdavUri' | 'requirements' | 'webapp' | 'hasFiles'
>;

/** The `webdav` and `webapp` members if there are any (OCM 1.1 and newer), otherwise `options` (1.0). */
function readProtocol(fields: WireFields, resourceType: 'file' | 'folder'): Content {
  const protocol = fields.object('protocol');
  const name = protocol.text('name', LIMITS.word);
  const webdav = protocol.object('webdav');
  const webapp = readWebapp(protocol.object('webapp')) ?? null;
  if (webdav.has('sharedSecret')) return withWebapp(readMulti(webdav, resourceType), webapp);
  if (webapp && !protocol.has('options')) return onlyWebapp(webapp, resourceType);
  if (name !== undefined && name !== 'webdav') throw new FederationRefused('protocol-unsupported', name);
  const sharedSecret = protocol.object('options').secret('sharedSecret');
  if (!sharedSecret) throw new FederationRefused('protocol-missing');
  return {
    dialect: 'ocm-webdav',
    kind: resourceType === 'folder' ? 'folder' : 'unknown',
    sharedSecret,
    permissions: null,
    webdavUri: null,
    requirements: webdav.allWords('requirements'),
    webapp: null,
    hasFiles: true,
  };
}

/** Both ways demand the same of a recipient. A server that breaks this rule gets all that it demands of either. */
const withWebapp = (content: Content, webapp: OfferedWebapp | null): Content => ({
  ...content,
  webapp,
  requirements: [...new Set([...content.requirements, ...(webapp?.requirements ?? [])])],
});

function onlyWebapp(webapp: OfferedWebapp, kind: 'file' | 'folder'): Content {
  const words = webapp.permissions.includes('write') ? ['read', 'write'] : ['read'];
  return {
    dialect: 'ocm-multi',
    kind,
    sharedSecret: webapp.sharedSecret,
    permissions: permissionsOf(words, kind),
    webdavUri: null,
    requirements: webapp.requirements,
    webapp,
    hasFiles: false,
  };
}

function readMulti(webdav: WireFields, kind: 'file' | 'folder'): Content {
  const words = webdav.words('permissions');
  if (webdav.has('permissions') && words.length === 0)
    throw new FederationRefused('field-invalid', 'permissions');
  return {
    dialect: 'ocm-multi',
    kind,
    sharedSecret: webdav.secret('sharedSecret')!,
    permissions: webdav.has('permissions') ? permissionsOf(words, kind) : null,
    // oCIS and OpenCloud 0.1 write `url`.
    webdavUri: webdav.text('uri', LIMITS.uri) ?? webdav.text('url', LIMITS.uri) ?? null,
    requirements: webdav.allWords('requirements'),
    webapp: null,
    hasFiles: true,
  };
}

/** The host of `shareWith` is not checked, as in ownCloud: any name may lead to us. */
function recipientOf(fields: WireFields): string {
  const shareWith = fields.text('shareWith', LIMITS.address)!;
  try {
    return parseCloudId(shareWith).userAsWritten;
  } catch (error) {
    if (!(error instanceof CloudIdInvalid)) throw error;
    throw new FederationRefused('recipient-unknown');
  }
}

/** One segment of a path. @throws FederationRefused */
function nodeName(fields: WireFields): string {
  const name = fields.text('name', LIMITS.name);
  if (name === undefined || /[/\\]/.test(name) || name === '.' || name === '..') {
    throw new FederationRefused('name-invalid');
  }
  return name;
}

function address(fields: WireFields, name: string): FederatedCloudId {
  return cloudId(fields.text(name, LIMITS.address)!, name);
}

function optionalAddress(fields: WireFields, name: string): FederatedCloudId | undefined {
  const text = fields.text(name, LIMITS.address);
  return text?.includes('@') ? cloudId(text, name) : undefined;
}

function cloudId(text: string, field: string): FederatedCloudId {
  try {
    return parseCloudId(text);
  } catch (error) {
    if (!(error instanceof CloudIdInvalid)) throw error;
    throw new FederationRefused('field-invalid', field);
  }
}
