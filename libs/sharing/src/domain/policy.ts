import { parseGroupList, SETTINGS } from './settings';

/** Whom or what a share is for, as far as rules of expiry tell them apart. */
export type ExpiryScope = 'user' | 'group' | 'link' | 'remote';

export interface ExpiryRule {
  readonly defaultOn: boolean;
  /** Only where the default is on. */
  readonly enforced: boolean;
  readonly days: number;
}

/** Sets of link permissions for which a password can be enforced. */
export interface LinkPasswordRule {
  readonly readOnly: boolean;
  readonly readWrite: boolean;
  readonly uploadOnly: boolean;
  readonly readWriteDelete: boolean;
}

/** What an instance allows: the one object that capabilities announces and use cases enforce. */
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
  readonly federation: {
    readonly outgoing: boolean;
    readonly incoming: boolean;
    readonly autoAcceptTrusted: boolean;
    /** Empty: every host that is not denied. */
    readonly allowedHosts: readonly string[];
    readonly deniedHosts: readonly string[];
  };
  /** Where received shares appear; `/` or a path without trailing slash. */
  readonly shareFolder: string;
  readonly searchMinLength: number;
}

const DEFAULTS = new Map(SETTINGS.map((setting) => [`${setting.app}/${setting.key}`, setting.fallback]));

/** Reads the policy from stored settings (`app/key` to text); what is not stored has its default. */
export function policyFrom(stored: ReadonlyMap<string, string>): SharingPolicy {
  const text = (name: string): string => stored.get(name) ?? DEFAULTS.get(name) ?? '';
  const core = (key: string): string => text(`core/shareapi_${key}`);
  const yes = (key: string): boolean => core(key) === 'yes';
  const on = (name: string): boolean => text(name) === 'yes';
  const groups = (name: string): string[] => parseGroupList(text(name)) ?? [];
  const expiry = (suffix: string): ExpiryRule => ({
    defaultOn: yes(`default_expire_date${suffix}`),
    enforced: yes(`default_expire_date${suffix}`) && yes(`enforce_expire_date${suffix}`),
    days: Number(core(`expire_after_n_days${suffix}`)),
  });
  const creators = groups('files_sharing/public_share_sharers_groups_allowlist');
  const creatorsLimited = on('files_sharing/public_share_sharers_groups_allowlist_enabled') && creators.length > 0;
  return {
    apiEnabled: yes('enabled'),
    maintenance: on('system/maintenance'),
    links: {
      enabled: yes('allow_links'),
      publicUpload: yes('allow_public_upload'),
      password: {
        readOnly: yes('enforce_links_password_read_only'),
        readWrite: yes('enforce_links_password_read_write'),
        uploadOnly: yes('enforce_links_password_write_only'),
        readWriteDelete: yes('enforce_links_password_read_write_delete'),
      },
      mayMail: yes('allow_public_notification'),
      social: yes('allow_social_share'),
      creators: creatorsLimited ? creators : undefined,
    },
    groupSharing: yes('allow_group_sharing'),
    resharing: yes('allow_resharing'),
    autoAccept: yes('auto_accept_share'),
    onlyGroupMembers: yes('only_share_with_group_members'),
    onlyMembershipGroups: yes('only_share_with_membership_groups'),
    excludedGroups: yes('exclude_groups') ? groups('core/shareapi_exclude_groups_list') : [],
    blacklistedReceiverGroups: groups('files_sharing/blacklisted_receiver_groups'),
    defaultPermissions: Number(core('default_permissions')),
    expiry: {
      user: expiry('_user_share'),
      group: expiry('_group_share'),
      link: expiry(''),
      remote: expiry('_remote_share'),
    },
    mailNotification: yes('allow_mail_notification'),
    enumeration: {
      enabled: yes('allow_share_dialog_user_enumeration'),
      groupMembersOnly: yes('share_dialog_user_enumeration_group_members'),
    },
    additionalInfo: text('core/user_additional_info_field') as SharingPolicy['additionalInfo'],
    federation: {
      outgoing: on('files_sharing/outgoing_server2server_share_enabled'),
      incoming: on('files_sharing/incoming_server2server_share_enabled'),
      autoAcceptTrusted: on('federatedfilesharing/auto_accept_trusted'),
      allowedHosts: groups('federatedfilesharing/allowed_hosts'),
      deniedHosts: groups('federatedfilesharing/denied_hosts'),
    },
    shareFolder: text('system/share_folder'),
    searchMinLength: Number(text('system/user.search_min_length')),
  };
}

/** Whether a member of `groups` may share at all: not when one of them is excluded. */
export function mayShare(policy: SharingPolicy, groups: readonly string[]): boolean {
  return !groups.some((gid) => policy.excludedGroups.includes(gid));
}

/** Whether a member of `groups` may create public links. */
export function mayCreateLinks(policy: SharingPolicy, groups: readonly string[]): boolean {
  return policy.links.creators === undefined || groups.some((gid) => policy.links.creators!.includes(gid));
}

/**
 * Whether shares may be exchanged with a partner, in either direction. Names are compared whole: `example.org` says
 * nothing about `cloud.example.org`. A denied host name covers all its ports and paths; what is allowed is exactly
 * what is listed.
 *
 * @param hostKey canonical host, with port and path where they are not the usual ones
 */
export function mayFederateWith({ federation }: SharingPolicy, hostKey: string): boolean {
  const { allowedHosts, deniedHosts } = federation;
  const host = /^(?:\[[^\]]*\]|[^:/]*)/.exec(hostKey)![0];
  if (deniedHosts.includes(hostKey) || deniedHosts.includes(host)) return false;
  return allowedHosts.length === 0 || allowedHosts.includes(hostKey);
}
