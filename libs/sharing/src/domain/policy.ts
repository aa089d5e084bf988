import { hostOfAddress } from '#federation/protocol';
import type { Compatibility } from './compatibility';
import { federationPolicy, type FederationPolicy } from './federation-policy';
import type { PasswordRules } from './password-rules';
import type { RefusedNames } from './refused-names';
import { partnerCacheRulesFrom, type PartnerCacheRules } from './partner-cache-rules';
import { partnerWriteRulesFrom, type PartnerWriteRules } from './partner-write-rules';
import { scanRulesFrom, type ScanRules } from './scan-rules';
import { StoredSettings, type ExpiryRule } from './stored-settings';
import type { TrashRules } from './trash-rules';

/** Kinds of recipients with expiry rules of their own. */
export type ExpiryScope = 'user' | 'group' | 'link' | 'remote';

export type { ExpiryRule };

/** Sets of link permissions for which a password can be enforced. */
export interface LinkPasswordRule {
  readonly readOnly: boolean;
  readonly readWrite: boolean;
  readonly uploadOnly: boolean;
  readonly readWriteDelete: boolean;
}

/** The rules of an instance. Capabilities announce them and use cases enforce them. */
export interface SharingPolicy {
  readonly apiEnabled: boolean;
  readonly maintenance: boolean;
  readonly links: {
    readonly enabled: boolean;
    readonly publicUpload: boolean;
    readonly password: LinkPasswordRule;
    readonly mayMail: boolean;
    readonly social: boolean;
    /** Groups that may create links; undefined when everybody may. */
    readonly creators: readonly string[] | undefined;
  };
  readonly groupSharing: boolean;
  readonly resharing: boolean;
  readonly autoAccept: boolean;
  readonly onlyGroupMembers: boolean;
  readonly onlyMembershipGroups: boolean;
  /** Members of these groups cannot share. */
  readonly excludedGroups: readonly string[];
  readonly blacklistedReceiverGroups: readonly string[];
  readonly defaultPermissions: number;
  readonly expiry: Readonly<Record<ExpiryScope, ExpiryRule>>;
  readonly mailNotification: boolean;
  readonly enumeration: { readonly enabled: boolean; readonly groupMembersOnly: boolean };
  readonly additionalInfo: '' | 'email' | 'id';
  readonly federation: FederationPolicy;
  /** Where received shares appear; `/` or a path without trailing slash. */
  readonly shareFolder: string;
  /** Whether PROPFIND lists a folder with everything below it. */
  readonly depthInfinity: boolean;
  readonly previews: {
    readonly enabled: boolean;
    /** In pixels. */
    readonly maxWidth: number;
    readonly maxHeight: number;
  };
  /** Whether a MOVE may be answered before it is done. */
  readonly backgroundMoves: boolean;
  /** Whether accounts have pictures. */
  readonly avatars: boolean;
  /** Locks by WebDAV. */
  readonly locks: {
    readonly defaultSeconds: number;
    readonly maxSeconds: number;
    /** Members of these groups may end the locks of others. */
    readonly breakerGroups: readonly string[];
    /** Whether capabilities tell web clients to offer locks. */
    readonly offered: boolean;
  };
  /** Changes that users may make to their own accounts. Administrators may always make them. */
  readonly ownAccount: { readonly displayName: boolean; readonly email: boolean };
  /** Names that new files and folders may not have. */
  readonly refusedNames: RefusedNames;
  /** Deletions that do not use the trash bin. */
  readonly trash: TrashRules;
  readonly scanning: ScanRules;
  readonly partnerWrites: PartnerWriteRules;
  readonly partnerCache: PartnerCacheRules;
  readonly searchMinLength: number;
  /** Sessions of signed-in browsers. */
  readonly sessions: { readonly idleMinutes: number; readonly days: number };
  /** Whether main passwords work on the sign-in page only. */
  readonly clientsNeedAppPasswords: boolean;
  /** Members of these groups have to sign in with a second factor. */
  readonly secondFactorGroups: readonly string[];
  /** Rules for new passwords of accounts and links. */
  readonly passwords: PasswordRules;
}

/** Reads the policy from stored settings (`app/key` to text). */
export function policyFrom(
  stored: ReadonlyMap<string, string>,
  compatibility: Compatibility = 'documented',
): SharingPolicy {
  const settings = new StoredSettings(stored, compatibility);
  return {
    apiEnabled: settings.yes('enabled'),
    maintenance: settings.on('system/maintenance'),
    links: linkPolicy(settings),
    groupSharing: settings.yes('allow_group_sharing'),
    resharing: settings.yes('allow_resharing'),
    autoAccept: settings.yes('auto_accept_share'),
    onlyGroupMembers: settings.yes('only_share_with_group_members'),
    onlyMembershipGroups: settings.yes('only_share_with_membership_groups'),
    excludedGroups: settings.yes('exclude_groups') ? settings.list('core/shareapi_exclude_groups_list') : [],
    blacklistedReceiverGroups: settings.list('files_sharing/blacklisted_receiver_groups'),
    defaultPermissions: Number(settings.core('default_permissions')),
    expiry: {
      user: settings.expiry('_user_share'),
      group: settings.expiry('_group_share'),
      link: settings.expiry(''),
      remote: settings.expiry('_remote_share'),
    },
    mailNotification: settings.yes('allow_mail_notification'),
    enumeration: {
      enabled: settings.yes('allow_share_dialog_user_enumeration'),
      groupMembersOnly: settings.yes('share_dialog_user_enumeration_group_members'),
    },
    additionalInfo: settings.text('core/user_additional_info_field') as SharingPolicy['additionalInfo'],
    federation: federationPolicy(settings),
    shareFolder: settings.text('system/share_folder'),
    depthInfinity: settings.on('system/dav.propfind.depth_infinity'),
    avatars: settings.on('system/enable_avatars'),
    previews: previewPolicy(settings),
    backgroundMoves: settings.on('system/dav.enable.async'),
    locks: lockPolicy(settings),
    ownAccount: {
      displayName: settings.on('system/allow_user_to_change_display_name'),
      email: settings.on('system/allow_user_to_change_mail_address'),
    },
    refusedNames: refusedNames(settings),
    trash: trashRules(settings),
    sessions: sessionPolicy(settings),
    clientsNeedAppPasswords: settings.on('system/token_auth_enforced'),
    secondFactorGroups: settings.list('system/second_factor_groups'),
    scanning: scanRulesFrom((name) => settings.text(name)),
    partnerWrites: partnerWriteRulesFrom((name) => settings.text(name)),
    partnerCache: partnerCacheRulesFrom((name) => settings.text(name)),
    searchMinLength: Number(settings.text('system/user.search_min_length')),
    passwords: {
      minLength: Number(settings.text('password_policy/minLength')),
      refuseCommon: settings.on('password_policy/enforceNonCommonPassword'),
    },
  };
}

function refusedNames(settings: StoredSettings): RefusedNames {
  const lists = (...names: string[]): string[] => names.flatMap((name) => settings.list(name));
  return {
    names: lists('system/blacklisted_files', 'system/excluded_directories'),
    patterns: lists('system/blacklisted_files_regex', 'system/excluded_directories_regex'),
  };
}

function trashRules(settings: StoredSettings): TrashRules {
  return {
    extensions: settings.list('system/trashbin_skip_extensions'),
    folders: settings.list('system/trashbin_skip_directories'),
    largestBytes: Number(settings.text('system/trashbin_skip_size_threshold')),
  };
}

function sessionPolicy(settings: StoredSettings): SharingPolicy['sessions'] {
  return {
    idleMinutes: Number(settings.text('web/session_idle_minutes')),
    days: Number(settings.text('web/session_days')),
  };
}

function lockPolicy(settings: StoredSettings): SharingPolicy['locks'] {
  return {
    defaultSeconds: Number(settings.text('core/lock_timeout_default')),
    maxSeconds: Number(settings.text('core/lock_timeout_max')),
    breakerGroups: settings.list('core/lock-breaker-groups'),
    offered: settings.on('files/enable_lock_file_action'),
  };
}

function linkPolicy(settings: StoredSettings): SharingPolicy['links'] {
  const creators = settings.list('files_sharing/public_share_sharers_groups_allowlist');
  const limited =
    settings.on('files_sharing/public_share_sharers_groups_allowlist_enabled') && creators.length > 0;
  return {
    enabled: settings.yes('allow_links'),
    publicUpload: settings.yes('allow_public_upload'),
    password: {
      readOnly: settings.yes('enforce_links_password_read_only'),
      readWrite: settings.yes('enforce_links_password_read_write'),
      uploadOnly: settings.yes('enforce_links_password_write_only'),
      readWriteDelete: settings.yes('enforce_links_password_read_write_delete'),
    },
    mayMail: settings.yes('allow_public_notification'),
    social: settings.yes('allow_social_share'),
    creators: limited ? creators : undefined,
  };
}

/** Maximum size of previews, whatever the setting says. */
const MAX_PREVIEW_PIXELS = 4096;

function previewPolicy(settings: StoredSettings): SharingPolicy['previews'] {
  const pixels = (name: string): number =>
    Math.min(Number(settings.text(name)) || MAX_PREVIEW_PIXELS, MAX_PREVIEW_PIXELS);
  return {
    enabled: settings.on('system/enable_previews'),
    maxWidth: pixels('system/preview_max_x'),
    maxHeight: pixels('system/preview_max_y'),
  };
}

/** Whether `folderPath` in a user's own tree is the default folder for received shares, or contains it. */
export function holdsShareFolder(
  { shareFolder }: Pick<SharingPolicy, 'shareFolder'>,
  folderPath: string,
): boolean {
  const [place, folder] = [shareFolder, folderPath].map((path) => path.normalize('NFC'));
  return place !== '/' && `${place}/`.startsWith(`${folder}/`);
}

/** Whether a member of `groups` may share at all. Members of an excluded group may not. */
export function mayShare(policy: SharingPolicy, groups: readonly string[]): boolean {
  return !groups.some((gid) => policy.excludedGroups.includes(gid));
}

/** Whether a member of `groups` may create public links. */
export function mayCreateLinks(policy: SharingPolicy, groups: readonly string[]): boolean {
  return policy.links.creators === undefined || groups.some((gid) => policy.links.creators!.includes(gid));
}

/**
 * Whether the lists of hosts let shares be exchanged with a partner, in either direction. Names are compared whole: `example.org` does not
 * match `cloud.example.org`. A denied host name covers all its ports; an allowed entry means exactly that host and port.
 * Paths are ignored in both lists: they belong to an address, not to a host.
 */
export function mayFederateWith({ federation }: SharingPolicy, hostKey: string): boolean {
  const { allowedHosts, deniedHosts } = federation;
  const host = hostOfAddress(hostKey);
  if (deniedHosts.includes(host) || deniedHosts.includes(host.replace(/:\d+$/, ''))) return false;
  return allowedHosts.length === 0 || allowedHosts.includes(host);
}

/** Whether offers are accepted only from senders that prove to be a known partner. That is so where only named partners are allowed. */
export function asksWhoOffers({ federation }: SharingPolicy): boolean {
  return federation.allowedHosts.length > 0;
}
