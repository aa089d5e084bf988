import { differencesOf, type Compatibility } from './compatibility';
import { DEFAULT_TRUSTS } from './default-trust';
import { parseGroupList, parseHosts, parseMailServers, parseTextList } from './list-values';
import { DEFAULT_PASSWORD_RULES } from './password-rules';
import { RESHARE_RULES } from './reshare-rule';
import { isName, isNamePattern } from './refused-names';
import { FINDING_RULES, SCAN_SCOPES, UNSCANNED_RULES } from './scan-rules';
import { SIGNATURE_DEMANDS } from './signature-demand';
import { parseRetention } from './version-retention';

/** Syntax of a setting's text, and the values that it allows. */
export type SettingKind =
  | 'yes-no'
  | 'minutes'
  | 'days'
  | 'days-ahead'
  | 'days-or-ever'
  | 'permissions'
  | 'groups'
  | 'names'
  | 'patterns'
  | 'hosts'
  | 'mail-servers'
  | 'folder'
  | 'info-field'
  | 'count'
  | 'limit'
  | 'seconds'
  | 'default-trust'
  | 'signature-demand'
  | 'reshare-rule'
  | 'scan-scope'
  | 'unscanned-rule'
  | 'finding-rule'
  | 'retention'
  | 'text';

export interface SettingDefinition {
  readonly app: string;
  readonly key: string;
  readonly kind: SettingKind;
  readonly fallback: string;
  /** For a password rule: the value in a compatibility mode that has no password rules. */
  readonly fallbackWithoutPasswordRules?: string;
}

const setting = (app: string, key: string, kind: SettingKind, fallback: string): SettingDefinition => ({
  app,
  key,
  kind,
  fallback,
});
const core = (key: string, kind: SettingKind, fallback: string): SettingDefinition =>
  setting('core', key, kind, fallback);

const passwordRule = (
  key: string,
  kind: SettingKind,
  fallback: string,
  without: string,
): SettingDefinition => ({
  ...setting('password_policy', key, kind, fallback),
  fallbackWithoutPasswordRules: without,
});

const expiry = (suffix: string): SettingDefinition[] => [
  core(`shareapi_default_expire_date${suffix}`, 'yes-no', 'no'),
  core(`shareapi_enforce_expire_date${suffix}`, 'yes-no', 'no'),
  core(`shareapi_expire_after_n_days${suffix}`, 'days-ahead', '7'),
];

/** Every setting that can be changed at run time, with the names that deployed servers use. Source: ocs-facts 13. */
export const SETTINGS: readonly SettingDefinition[] = [
  core('shareapi_enabled', 'yes-no', 'yes'),
  core('shareapi_allow_links', 'yes-no', 'yes'),
  core('shareapi_allow_public_upload', 'yes-no', 'yes'),
  core('shareapi_enforce_links_password_read_only', 'yes-no', 'no'),
  core('shareapi_enforce_links_password_read_write', 'yes-no', 'no'),
  core('shareapi_enforce_links_password_write_only', 'yes-no', 'no'),
  core('shareapi_enforce_links_password_read_write_delete', 'yes-no', 'no'),
  ...expiry(''),
  ...expiry('_user_share'),
  ...expiry('_group_share'),
  ...expiry('_remote_share'),
  core('shareapi_allow_public_notification', 'yes-no', 'no'),
  core('shareapi_allow_mail_notification', 'yes-no', 'no'),
  core('shareapi_allow_social_share', 'yes-no', 'yes'),
  core('shareapi_allow_group_sharing', 'yes-no', 'yes'),
  core('shareapi_allow_resharing', 'yes-no', 'yes'),
  core('shareapi_auto_accept_share', 'yes-no', 'yes'),
  core('shareapi_only_share_with_group_members', 'yes-no', 'no'),
  core('shareapi_only_share_with_membership_groups', 'yes-no', 'no'),
  core('shareapi_exclude_groups', 'yes-no', 'no'),
  core('shareapi_exclude_groups_list', 'groups', '[]'),
  core('shareapi_default_permissions', 'permissions', '31'),
  core('shareapi_allow_share_dialog_user_enumeration', 'yes-no', 'yes'),
  core('shareapi_share_dialog_user_enumeration_group_members', 'yes-no', 'no'),
  core('user_additional_info_field', 'info-field', ''),
  core('lock_timeout_default', 'seconds', '1800'),
  core('lock_timeout_max', 'seconds', '86400'),
  core('lock-breaker-groups', 'groups', '[]'),
  setting('files', 'enable_lock_file_action', 'yes-no', 'no'),
  setting('files', 'max_nodes_per_user', 'limit', '1000000'),
  setting('files_trashbin', 'retention_days', 'days-or-ever', '30'),
  setting('files_trashbin', 'quota_percent', 'limit', '50'),
  setting('files_versions', 'quota_percent', 'limit', '50'),
  setting('system', 'trashbin_skip_extensions', 'names', '[]'),
  setting('system', 'trashbin_skip_directories', 'names', '[]'),
  setting('system', 'trashbin_skip_size_threshold', 'limit', '0'),
  setting('files', 'max_unfinished_uploads', 'limit', '1000'),
  setting('files', 'unfinished_uploads_days', 'days', '2'),
  setting('files', 'store_partner_writes', 'yes-no', 'yes'),
  setting('files', 'partner_writes_at_once_megabytes', 'limit', '8'),
  setting('files', 'stored_writes_user_megabytes', 'limit', '20480'),
  setting('files', 'stored_writes_partner_megabytes', 'limit', '204800'),
  setting('files', 'stored_writes_days', 'days', '7'),
  setting('files', 'partner_cache_megabytes', 'limit', '1024'),
  setting('files', 'partner_cache_while_away', 'yes-no', 'no'),
  setting('files_antivirus', 'scan_uploads_of', 'scan-scope', 'guests-and-partners'),
  setting('files_antivirus', 'unreachable', 'unscanned-rule', 'refuse'),
  setting('files_antivirus', 'max_scan_megabytes', 'limit', '25'),
  setting('files_antivirus', 'larger', 'unscanned-rule', 'allow'),
  setting('files_antivirus', 'finding', 'finding-rule', 'refuse'),
  setting('files_antivirus', 'quarantine_days', 'days-or-ever', '30'),
  setting('files_antivirus', 'quarantine_max_megabytes', 'limit', '1024'),
  setting('files_sharing', 'outgoing_server2server_share_enabled', 'yes-no', 'yes'),
  setting('files_sharing', 'incoming_server2server_share_enabled', 'yes-no', 'yes'),
  setting('files_sharing', 'incoming_server2server_group_share_enabled', 'yes-no', 'no'),
  setting('files_sharing', 'outgoing_server2server_group_share_enabled', 'yes-no', 'no'),
  setting('files_sharing', 'remind_days_before_expiry', 'days-ahead', '3'),
  setting('files_sharing', 'blacklisted_receiver_groups', 'groups', '[]'),
  setting('files_sharing', 'public_share_sharers_groups_allowlist_enabled', 'yes-no', 'no'),
  setting('files_sharing', 'public_share_sharers_groups_allowlist', 'groups', '[]'),
  setting('files_sharing', 'reshares_without_access', 'reshare-rule', 'keep'),
  setting('federatedfilesharing', 'auto_accept_trusted', 'yes-no', 'no'),
  setting('federatedfilesharing', 'allowed_hosts', 'hosts', '[]'),
  setting('federatedfilesharing', 'denied_hosts', 'hosts', '[]'),
  setting('federatedfilesharing', 'incoming_default_trust', 'default-trust', 'allowed'),
  setting('federatedfilesharing', 'outgoing_default_trust', 'default-trust', 'allowed'),
  setting('federatedfilesharing', 'incoming_signatures', 'signature-demand', 'known'),
  setting('federatedfilesharing', 'require_token_exchange', 'yes-no', 'no'),
  setting('federatedfilesharing', 'incoming_token_exchange', 'yes-no', 'no'),
  setting('federatedfilesharing', 'incoming_webapps', 'yes-no', 'yes'),
  setting('federatedfilesharing', 'webapp_hosts', 'hosts', '[]'),
  setting('federatedfilesharing', 'outgoing_webapps', 'yes-no', 'no'),
  setting('federatedfilesharing', 'unanswered_after_days', 'days', '7'),
  setting('federation', 'exchange_address_books', 'yes-no', 'no'),
  setting('federation', 'find_by_mail', 'yes-no', 'no'),
  setting('federation', 'mail_servers', 'mail-servers', '[]'),
  setting('federation', 'answer_webfinger', 'yes-no', 'no'),
  passwordRule('minLength', 'count', String(DEFAULT_PASSWORD_RULES.minLength), '0'),
  passwordRule(
    'enforceNonCommonPassword',
    'yes-no',
    DEFAULT_PASSWORD_RULES.refuseCommon ? 'yes' : 'no',
    'no',
  ),
  setting('web', 'session_idle_minutes', 'minutes', '720'),
  setting('web', 'session_days', 'days', '30'),
  setting('system', 'token_auth_enforced', 'yes-no', 'no'),
  setting('system', 'second_factor_groups', 'groups', '[]'),
  setting('system', 'share_folder', 'folder', '/'),
  setting('system', 'dav.propfind.depth_infinity', 'yes-no', 'no'),
  setting('system', 'dav.enable.async', 'yes-no', 'no'),
  setting('system', 'enable_avatars', 'yes-no', 'yes'),
  setting('system', 'enable_previews', 'yes-no', 'yes'),
  setting('system', 'preview_max_x', 'limit', '2048'),
  setting('system', 'preview_max_y', 'limit', '2048'),
  setting('system', 'audit_retention_days', 'days-or-ever', '365'),
  setting('system', 'account_grace_days', 'days-ahead', '30'),
  setting('system', 'user.search_min_length', 'count', '2'),
  setting('system', 'allow_user_to_change_display_name', 'yes-no', 'yes'),
  setting('system', 'allow_user_to_change_mail_address', 'yes-no', 'yes'),
  setting('system', 'blacklisted_files', 'names', '[".htaccess"]'),
  setting('system', 'blacklisted_files_regex', 'patterns', '[]'),
  setting('system', 'excluded_directories', 'names', '[]'),
  setting('system', 'excluded_directories_regex', 'patterns', '[]'),
  setting('system', 'versions_retention_obligation', 'retention', 'auto'),
  setting('system', 'maintenance', 'yes-no', 'no'),
];

const BY_NAME = new Map(SETTINGS.map((definition) => [`${definition.app}/${definition.key}`, definition]));

export function settingDefinition(app: string, key: string): SettingDefinition | undefined {
  return BY_NAME.get(`${app}/${key}`);
}

/** The value of a setting that is not stored. */
export function fallbackOf(definition: SettingDefinition, compatibility: Compatibility): string {
  const { fallback, fallbackWithoutPasswordRules: without } = definition;
  return without === undefined || differencesOf(compatibility).passwordRules ? fallback : without;
}

/** The value as it will be stored; undefined if it is not a valid value of this kind. */
export function parseSettingValue(kind: SettingKind, raw: string): string | undefined {
  switch (kind) {
    case 'yes-no':
      return parseYesNo(raw);
    case 'minutes':
      return wholeNumber(raw, 1, 525_600);
    case 'days':
      return wholeNumber(raw, 1, 36_500);
    case 'days-ahead':
    case 'days-or-ever':
      return wholeNumber(raw, 0, 36_500);
    case 'count':
      return wholeNumber(raw, 0, 64);
    case 'seconds':
      return wholeNumber(raw, 1, 999_999_999);
    case 'limit':
      return wholeNumber(raw, 0, 999_999_999);
    case 'permissions':
      return wholeNumber(raw, 1, 31);
    case 'groups':
      return parseGroupList(raw) === undefined ? undefined : JSON.stringify(parseGroupList(raw));
    case 'names':
      return parseTextList(raw, isName);
    case 'patterns':
      return parseTextList(raw, isNamePattern);
    case 'hosts':
      return parseHosts(raw);
    case 'mail-servers':
      return parseMailServers(raw);
    case 'folder':
      return parseFolder(raw);
    case 'info-field':
      return raw === '' || raw === 'email' || raw === 'id' ? raw : undefined;
    case 'default-trust':
      return DEFAULT_TRUSTS.find((trust) => trust === raw.toLowerCase());
    case 'signature-demand':
      return SIGNATURE_DEMANDS.find((demand) => demand === raw.toLowerCase());
    case 'reshare-rule':
      return RESHARE_RULES.find((rule) => rule === raw.toLowerCase());
    case 'scan-scope':
      return SCAN_SCOPES.find((scope) => scope === raw.toLowerCase());
    case 'unscanned-rule':
      return UNSCANNED_RULES.find((rule) => rule === raw.toLowerCase());
    case 'finding-rule':
      return FINDING_RULES.find((rule) => rule === raw.toLowerCase());
    case 'retention':
      return parseRetention(raw.trim()) && raw.replaceAll(' ', '');
    case 'text':
      return raw.length <= 1024 ? raw : undefined;
  }
}

function parseYesNo(raw: string): string | undefined {
  const folded = raw.toLowerCase();
  if (folded === 'yes' || folded === 'true' || folded === '1') return 'yes';
  if (folded === 'no' || folded === 'false' || folded === '0') return 'no';
  return undefined;
}

function wholeNumber(raw: string, min: number, max: number): string | undefined {
  return /^\d{1,9}$/.test(raw) && Number(raw) >= min && Number(raw) <= max ? String(Number(raw)) : undefined;
}

/** An absolute path of a folder without a trailing slash; `/` for the root. */
function parseFolder(raw: string): string | undefined {
  const parts = raw.split('/').filter((part) => part !== '');
  const bad = parts.some(
    (part) => part === '.' || part === '..' || /\p{Cc}/u.test(part) || part.length > 255,
  );
  return bad || raw.length > 1000 ? undefined : `/${parts.join('/')}`;
}
