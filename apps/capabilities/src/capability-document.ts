import { hostname } from 'node:os';
import type { OcsValue } from '#ocs/protocol';
import { PRODUCT_NAME, PROTOCOL_VERSION } from '#platform';
import type { CapabilityEntry } from '#persistence';
import {
  differencesOf,
  type Compatibility,
  type ExpiryRule,
  type PasswordRules,
  type SharingPolicy,
} from '#sharing';

/** The caller's rights that change the announced capabilities. */
export interface CallerRights {
  readonly canShare: boolean;
  readonly canCreateLinks: boolean;
}

type ObjectValue = { readonly [key: string]: OcsValue };

/** Milliseconds between two requests of a client for changes. */
const POLL_INTERVAL_MS = 30_000;
const EDITION = 'Community';

/** `version` and `capabilities` in the form that clients know. Source: ocs-facts 10. Features that do not work are not announced. */
export function capabilityDocument(
  policy: SharingPolicy,
  rights: CallerRights,
  entries: ReadonlyMap<string, CapabilityEntry>,
  { compatibility, address }: { readonly compatibility: Compatibility; readonly address: string },
): OcsValue {
  const own: ObjectValue = {
    core: {
      pollinterval: POLL_INTERVAL_MS,
      'webdav-root': 'remote.php/webdav',
      status: statusCapability(policy.maintenance, compatibility),
      'support-url-signing': true,
    },
    files: {
      privateLinks: true,
      privateLinksDetailsParam: true,
      bigfilechunking: true,
      blacklisted_files: [...policy.refusedNames.names],
      blacklisted_files_regex: '\\.(part|filepart)$',
      favorites: true,
      file_locking_support: true,
      file_locking_enable_file_action: policy.locks.offered,
      ...lockCapability(compatibility),
      undelete: true,
      versioning: true,
      ...tusCapability(compatibility),
    },
    checksums: { supportedTypes: ['SHA1'], preferredUploadType: 'SHA1' },
    dav: {
      chunking: '1.0',
      reports: ['search-files'],
      propfind: { depth_infinity: policy.depthInfinity },
      trashbin: '1.0',
    },
    ...(policy.backgroundMoves && { async: '1.0' }),
    files_sharing: sharingCapability(policy, rights, compatibility),
    notifications: { 'ocs-endpoints': ['list', 'get', 'delete'] },
    notify_push: {
      type: ['files', 'activities', 'notifications'],
      endpoints: { websocket: `${address.replace(/^http/, 'ws')}/push/ws` },
    },
    ...passwordCapability(policy.passwords),
  };
  return { version: versionCapability(), capabilities: withEntries(own, entries) };
}

function versionCapability(): OcsValue {
  const [major, minor, micro] = PROTOCOL_VERSION.split('.').map(Number) as [number, number, number];
  return { major, minor, micro, string: PROTOCOL_VERSION, edition: EDITION, product: PRODUCT_NAME };
}

/** Content of status.php; flags are JSON booleans. */
export function serverStatus(maintenance: boolean) {
  return {
    installed: true,
    maintenance,
    needsDbUpgrade: false,
    version: `${PROTOCOL_VERSION}.0`,
    versionstring: PROTOCOL_VERSION,
    edition: EDITION,
    productname: PRODUCT_NAME,
    product: PRODUCT_NAME,
  };
}

function statusCapability(maintenance: boolean, compatibility: Compatibility): OcsValue {
  const status: ObjectValue = { ...serverStatus(maintenance), hostname: hostname() };
  if (!differencesOf(compatibility).statusFlagsAsText) return status;
  return Object.fromEntries(
    Object.entries(status).map(([key, value]) => [key, typeof value === 'boolean' ? String(value) : value]),
  );
}

function sharingCapability(
  policy: SharingPolicy,
  rights: CallerRights,
  compatibility: Compatibility,
): ObjectValue {
  const federation = { outgoing: policy.federation.outgoing, incoming: policy.federation.incoming };
  if (!policy.apiEnabled) {
    return {
      api_enabled: false,
      public: { enabled: false },
      user: { send_mail: false, profile_picture: policy.avatars },
      resharing: false,
      can_share: false,
      providers_capabilities: false,
      federation,
      search_min_length: policy.searchMinLength,
    };
  }
  return {
    api_enabled: true,
    public: publicCapability(policy, rights, compatibility),
    user: {
      send_mail: policy.mailNotification,
      profile_picture: policy.avatars,
      expire_date: expiryCapability(policy.expiry.user),
    },
    group: { expire_date: expiryCapability(policy.expiry.group) },
    remote: { expire_date: expiryCapability(policy.expiry.remote) },
    resharing: policy.resharing,
    group_sharing: policy.groupSharing,
    auto_accept_share: policy.autoAccept,
    share_with_group_members_only: policy.onlyGroupMembers,
    share_with_membership_groups_only: policy.onlyMembershipGroups,
    can_share: rights.canShare,
    user_enumeration: policy.enumeration.enabled
      ? { enabled: true, group_members_only: policy.enumeration.groupMembersOnly }
      : { enabled: false },
    default_permissions: policy.defaultPermissions,
    providers_capabilities: PROVIDERS,
    federation,
    search_min_length: policy.searchMinLength,
  };
}

/** Uploads by TUS, announced as oCIS does; 0 means parts of any size. Clients that find this send no chunks. */
function tusCapability(compatibility: Compatibility): ObjectValue {
  if (!differencesOf(compatibility).tusAnnounced) return {};
  const version = '1.0.0';
  const offer = {
    version,
    resumable: version,
    extension: 'creation,creation-with-upload,checksum,termination,expiration,concatenation',
  };
  return { tus_support: { ...offer, max_chunk_size: 0, http_method_override: '' } };
}

/** Locks for users, announced as Nextcloud does. */
function lockCapability(compatibility: Compatibility): ObjectValue {
  if (!differencesOf(compatibility).userLocksAnnounced) return {};
  return { locking: '1.0', 'api-feature-lock-type': true };
}

/** Password rules, announced as OpenCloud does; nothing without rules. */
function passwordCapability({ minLength, refuseCommon }: PasswordRules): ObjectValue {
  if (minLength === 0 && !refuseCommon) return {};
  const kinds = ['lowercase_characters', 'uppercase_characters', 'digits', 'special_characters'];
  return {
    password_policy: {
      min_characters: minLength,
      ...Object.fromEntries(kinds.map((kind) => [`min_${kind}`, 0])),
    },
  };
}

const PROVIDERS: OcsValue = {
  ocinternal: {
    user: ['shareExpiration'],
    group: ['shareExpiration'],
    link: ['shareExpiration', 'passwordProtected'],
  },
  ocFederatedSharing: { remote: ['shareExpiration'] },
};

function publicCapability(
  policy: SharingPolicy,
  rights: CallerRights,
  compatibility: Compatibility,
): OcsValue {
  const { links } = policy;
  if (!links.enabled) return { enabled: false };
  const enforcedFor: ObjectValue = {
    read_only: links.password.readOnly,
    read_write: links.password.readWrite,
    upload_only: links.password.uploadOnly,
    read_write_delete: links.password.readWriteDelete,
  };
  const { read_only, read_write, upload_only } = enforcedFor;
  const enforced = differencesOf(compatibility).passwordEnforcedAsObject
    ? { read_only: read_only!, read_write: read_write!, upload_only: upload_only! }
    : Object.values(enforcedFor).includes(true);
  return {
    enabled: true,
    password: { enforced_for: enforcedFor, enforced },
    roles_api: false,
    can_create_public_link: rights.canCreateLinks,
    expire_date: expiryCapability(policy.expiry.link),
    send_mail: links.mayMail,
    social_share: links.social,
    upload: links.publicUpload,
    multiple: true,
    supports_upload_only: true,
    defaultPublicLinkShareName: 'Public link',
  };
}

/** `days` is a text, as clients have always received it. */
function expiryCapability(rule: ExpiryRule): OcsValue {
  return rule.defaultOn
    ? { enabled: true, days: String(rule.days), enforced: rule.enforced }
    : { enabled: false };
}

/** Merges other apps' entries in the order of the apps' names: maps are merged; for other values, the later app wins. */
function withEntries(own: ObjectValue, entries: ReadonlyMap<string, CapabilityEntry>): ObjectValue {
  let merged = own;
  for (const entry of entries.values()) merged = merge(merged, entry as ObjectValue);
  return merged;
}

function merge(under: ObjectValue, over: ObjectValue): ObjectValue {
  const merged: Record<string, OcsValue> = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const known = merged[key];
    merged[key] = isObject(known) && isObject(value) ? merge(known, value) : value;
  }
  return merged;
}

function isObject(value: OcsValue | undefined): value is ObjectValue {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
