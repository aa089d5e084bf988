import type { SettingKind } from './settings';

const EXPIRING: Readonly<Record<string, string>> = {
  '': 'public links',
  _user_share: 'shares with users',
  _group_share: 'shares with groups',
  _remote_share: 'federated shares',
};

const expiry = Object.fromEntries(
  Object.entries(EXPIRING).flatMap(([suffix, shares]) => [
    [
      `core/shareapi_default_expire_date${suffix}`,
      `New ${shares} get an expiry date where the request names none.`,
    ],
    [
      `core/shareapi_enforce_expire_date${suffix}`,
      `The expiry date of ${shares} cannot be removed, or set later than the default. Needs the setting above.`,
    ],
    [
      `core/shareapi_expire_after_n_days${suffix}`,
      `Days until ${shares} expire by default; 0 is the end of the day on which they are made.`,
    ],
  ]),
);

const passwords = Object.fromEntries(
  Object.entries({
    read_only: 'can only be read',
    read_write: 'can be read, and take new files',
    write_only: 'only take new files',
    read_write_delete: 'can be read and changed',
  }).map(([suffix, links]) => [
    `core/shareapi_enforce_links_password_${suffix}`,
    `Public links that ${links} need a password.`,
  ]),
);

/** Effect of each setting, by `app/key`, for operators. A spec fails for a setting without an entry. */
export const SETTING_MEANINGS: Readonly<Record<string, string>> = {
  ...expiry,
  ...passwords,
  'password_policy/minLength':
    'Characters that a new password of an account or a public link needs; 0 for no rule. `COMPATIBILITY=owncloud10`: 0 where it is not set.',
  'password_policy/enforceNonCommonPassword':
    'New passwords of accounts and public links may not be on the list of common ones. `COMPATIBILITY=owncloud10`: `no` where it is not set.',
  'core/shareapi_enabled':
    'Users may share. Where this is off, calls about shares are refused; links and federated shares give no access.',
  'core/shareapi_allow_links':
    'Users may make public links. Where this is off, existing links give no access.',
  'core/shareapi_allow_public_upload':
    'Public links may take uploads. Where this is off, links can only be read.',
  'core/shareapi_allow_public_notification': 'Users may mail public links.',
  'core/shareapi_allow_mail_notification': 'Users may mail the recipients of their shares.',
  'core/shareapi_allow_social_share': 'Clients offer to post links in social networks. Only announced.',
  'core/shareapi_allow_group_sharing': 'Users may share with groups.',
  'core/shareapi_allow_resharing':
    'Recipients may share received files with others, where their permissions say so.',
  'core/shareapi_auto_accept_share':
    'Shares from users of this instance start accepted; each user can choose otherwise.',
  'core/shareapi_only_share_with_group_members':
    'Users may share only with users who are in one of their groups.',
  'core/shareapi_only_share_with_membership_groups': 'Users may share only with groups that they are in.',
  'core/shareapi_exclude_groups': 'Members of the groups in `shareapi_exclude_groups_list` may not share.',
  'core/shareapi_exclude_groups_list': 'Groups whose members may not share.',
  'core/shareapi_default_permissions':
    'Permissions of new shares where the request names none, as a sum of bits.',
  'core/shareapi_allow_share_dialog_user_enumeration':
    'The search for recipients finds accounts by a part of their name. Where this is off, only a whole user id finds one.',
  'core/shareapi_share_dialog_user_enumeration_group_members':
    'The search for recipients is limited to users who are in one of the searching user’s groups.',
  'core/user_additional_info_field': 'Field that tells people of the same name apart in search and records.',
  'core/lock_timeout_default':
    'Seconds that a lock by WebDAV lasts where the client asks for no time of its own.',
  'core/lock_timeout_max': 'Seconds that a lock by WebDAV lasts at most, until its client refreshes it.',
  'core/lock-breaker-groups': 'Groups whose members may end the locks of others.',
  'files/enable_lock_file_action': 'Capabilities tell web clients to offer the locking of files.',
  'files/max_nodes_per_user':
    'Files and folders that one user may have; what they had before stays, whatever the limit.',
  'web/session_idle_minutes': 'Minutes after which a browser that asks for nothing is signed out.',
  'web/session_days': 'Days after which a browser is signed out in any case.',
  'system/token_auth_enforced':
    'The main password of an account works on the sign-in page only; clients need app passwords.',
  'system/second_factor_groups':
    'Members of these groups have to sign in with a second factor; those without one are led to set it up.',
  'files_trashbin/retention_days':
    'Days for which deleted files stay in the trash bin; 0 keeps them until their owner removes them.',
  'files_versions/quota_percent':
    'Percent of their quota that the versions of a user’s files may hold besides it; the oldest go first. 0: as many as there are.',
  'files_trashbin/quota_percent':
    'Percent of their quota that the trash bin of a user may hold besides it; with the next deletion, the oldest goes first.',
  'system/trashbin_skip_extensions':
    'Extensions of files, such as `tmp`, that go past the trash bin when their owner deletes them.',
  'system/trashbin_skip_directories':
    'Names of folders in the root of users: they, and what is in them, go past the trash bin when their owner deletes it.',
  'system/trashbin_skip_size_threshold':
    'Bytes: larger files go past the trash bin when their owner deletes them, but not inside of a deleted folder. 0: no file does.',
  'files/max_unfinished_uploads':
    'Files that one user, or the visitors of one link together, may be sending in pieces at once.',
  'files/unfinished_uploads_days':
    'Days after its last piece when a file that was not sent to its end is forgotten.',
  'files/store_partner_writes':
    'Whether a file that is written into a folder of a partner is kept here until the partner has it, where that takes long or the partner is away. Without it, the writer waits for the partner.',
  'files/partner_writes_at_once_megabytes':
    'Megabytes (of 1024 kB) of a file whose writer waits for the partner while it is there, and learns at once when it is refused; larger ones are stored first. 0: all are.',
  'files/stored_writes_user_megabytes':
    'Megabytes that one user may have waiting for partners; beyond it, 507 is answered.',
  'files/stored_writes_partner_megabytes':
    'Megabytes that may wait for one partner; beyond it, 507 is answered.',
  'files/stored_writes_days':
    'Days after which a file that its partner did not take becomes a file of its writer.',
  'files/partner_cache_megabytes':
    'Megabytes (of 1024 kB) of contents of partners’ files that are kept here for those who read them again, when the partner says that they are current. One file may take an eighth of it. 0: none are kept.',
  'files/partner_cache_while_away':
    'Whether contents that are kept so are shown while their partner is away, with the header `Cache-Status`. Otherwise 503 is answered.',
  'files_antivirus/scan_uploads_of':
    'Senders whose uploads are scanned where `SCANNER` is configured: visitors of links and partners, or users as well.',
  'files_antivirus/unreachable':
    'Uploads that have to be scanned while the scanner does not answer: `refuse` answers 503, `allow` lets them in.',
  'files_antivirus/max_scan_megabytes':
    'Megabytes (of 1024 kB) of a file that are scanned at most. The scanner must take as many: `StreamMaxLength` of clamd.',
  'files_antivirus/larger':
    'Larger files: `refuse` answers 413, `allow` lets them in when nothing is found in as much of them as is scanned.',
  'files_antivirus/finding':
    'Uploads in which something is found: `refuse` forgets them, `quarantine` keeps them for `drawbridge quarantine`. They are refused in both cases.',
  'files_antivirus/quarantine_days':
    'Days for which uploads stay in quarantine; 0 keeps them until an operator removes them.',
  'files_antivirus/quarantine_max_megabytes':
    'Megabytes that the quarantine holds at most; more uploads are refused and not kept.',
  'files_sharing/outgoing_server2server_share_enabled': 'Users may share with people on other instances.',
  'files_sharing/incoming_server2server_group_share_enabled':
    'Other instances may share with groups here: each member is offered the share, up to 200 of them.',
  'files_sharing/incoming_server2server_share_enabled': 'Other instances may share with users here.',
  'files_sharing/remind_days_before_expiry':
    'Days before its last day in which people are reminded that a share ends; 0 for never.',
  'files_sharing/blacklisted_receiver_groups': 'Groups that shares cannot be made with.',
  'files_sharing/public_share_sharers_groups_allowlist_enabled':
    'Only members of the groups in `public_share_sharers_groups_allowlist` may make public links.',
  'files_sharing/public_share_sharers_groups_allowlist':
    'Groups whose members may make public links; an empty list allows everybody.',
  'files_sharing/reshares_without_access':
    'Reshares of a resharer who lost access: `keep` lets them go on, `follow` reduces or ends them.',
  'federatedfilesharing/auto_accept_trusted':
    'Verified offers from trusted partners are accepted without asking; each recipient can choose otherwise.',
  'federatedfilesharing/allowed_hosts':
    'The only hosts that shares are exchanged with; an empty list allows every host.',
  'federatedfilesharing/denied_hosts': 'Hosts that shares are never exchanged with.',
  'federatedfilesharing/incoming_default_trust': 'Offers from partners without a decision of their own.',
  'federatedfilesharing/outgoing_default_trust': 'Shares with partners without a decision of their own.',
  'federatedfilesharing/incoming_signatures': 'Signatures that messages from partners need.',
  'federatedfilesharing/require_token_exchange':
    'Partners must exchange the secret of a share for an access token, where their server can.',
  'federatedfilesharing/incoming_token_exchange':
    'Secrets of received shares are exchanged for access tokens, where the partner’s server can.',
  'federatedfilesharing/unanswered_after_days':
    'Days after which a delivered share without any answer appears in `drawbridge delivery list --unanswered`.',
  'system/share_folder': 'Folder in which received shares appear.',
  'system/dav.propfind.depth_infinity':
    'PROPFIND with `Depth: infinity` lists a folder with everything below it, up to 10,000 entries.',
  'system/dav.enable.async':
    'MOVE with `OC-LazyOps` is answered soon and goes on in the background; its state is at `dav/job-status`.',
  'system/enable_avatars': 'Accounts have pictures, and people may upload their own.',
  'system/enable_previews': 'Previews of pictures and texts are made.',
  'system/preview_max_x': 'Width of previews in pixels at most; 0 and more than 4096 count as 4096.',
  'system/preview_max_y': 'Height of previews in pixels at most; 0 and more than 4096 count as 4096.',
  'system/audit_retention_days': 'Days for which audit events are kept; 0 keeps them for ever.',
  'system/account_grace_days':
    'Days between the request to end an account and its end, where the request names none; until then it can be undone.',
  'system/user.search_min_length': 'Characters that a search for recipients needs.',
  'system/allow_user_to_change_display_name':
    'Users may change their own display names; administrators always may.',
  'system/allow_user_to_change_mail_address':
    'Users may change their own mail addresses; administrators always may.',
  'system/blacklisted_files': 'Names that no new file or folder may have, in upper or lower case.',
  'system/blacklisted_files_regex': 'Patterns of such names.',
  'system/excluded_directories':
    'Names of folders that nothing may be put into; no new file or folder may have them.',
  'system/excluded_directories_regex': 'Patterns of such names.',
  'system/versions_retention_obligation':
    'How long versions of files stay: `auto` (fewer with their age), `disabled` (for ever), or two of days and `auto`, such as `30,auto` or `auto,365`: for how long at least and at most.',
  'system/maintenance': 'Clients are told that the instance is in maintenance, and get 503.',
};

/**
 * Values that a setting of each kind takes, for operators.
 * @public read by scripts/generate.mjs
 */
export const KIND_MEANINGS: Readonly<Record<SettingKind, string>> = {
  'yes-no': '`yes` or `no`',
  minutes: 'minutes, 1 to 525600',
  days: 'days, from 1',
  'days-ahead': 'days, from 0',
  'days-or-ever': 'days; 0 for ever',
  permissions: '1 to 31',
  groups: 'JSON list of group ids',
  names: 'JSON list of file names, at most 100',
  patterns: 'JSON list of regular expressions, at most 100, that repeat no group and two parts at most',
  hosts: 'JSON list of hosts',
  folder: 'path',
  'info-field': '`email`, `id` or empty',
  count: '0 to 64',
  limit: 'number; 0 for no limit',
  seconds: 'seconds, from 1',
  'default-trust': '`allowed`, `invited` or `denied`',
  'signature-demand': '`known`, `required` or `checked`',
  'reshare-rule': '`keep` or `follow`',
  'scan-scope': '`guests-and-partners` or `everybody`',
  'unscanned-rule': '`refuse` or `allow`',
  'finding-rule': '`refuse` or `quarantine`',
  retention: '`auto`, `disabled`, or two of `auto` and days with a comma between',
  text: 'text',
};
