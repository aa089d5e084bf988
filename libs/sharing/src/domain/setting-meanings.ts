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
      `Clients may suggest an expiry date for new ${shares}. The server sets none, unless the setting below is on too.`,
    ],
    [
      `core/shareapi_enforce_expire_date${suffix}`,
      `New ${shares} get an expiry date if the request names none; it cannot be removed, or set later than the default. Needs the setting above.`,
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
    read_write: 'can be read, and accept new files',
    write_only: 'only accept new files',
    read_write_delete:
      'can be read, changed and deleted (permissions 15, and 3 of a file; no setting covers 7)',
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
    'Characters that a new password of an account or a public link needs; 0 for no rule. `COMPATIBILITY=owncloud10`: 0 if it is not set.',
  'password_policy/enforceNonCommonPassword':
    'New passwords of accounts and public links may not be on the list of common ones. `COMPATIBILITY=owncloud10`: `no` if it is not set.',
  'core/shareapi_enabled':
    'Users may share. If this is off, calls about shares are refused; links and federated shares give no access.',
  'core/shareapi_allow_links': 'Users may make public links. If this is off, existing links give no access.',
  'core/shareapi_allow_public_upload':
    'Public links may take uploads. If this is off, links can only be read.',
  'core/shareapi_allow_public_notification': 'Users may mail public links.',
  'core/shareapi_allow_mail_notification': 'Users may mail the recipients of their shares.',
  'core/shareapi_allow_social_share': 'Clients offer to post links in social networks. Only announced.',
  'core/shareapi_allow_group_sharing': 'Users may share with groups.',
  'core/shareapi_allow_resharing':
    'Recipients may share received files with others, if their permissions allow it.',
  'core/shareapi_auto_accept_share':
    'Shares from users of this instance start accepted; each user can choose otherwise.',
  'core/shareapi_only_share_with_group_members':
    'Users may share only with users who are in one of their groups.',
  'core/shareapi_only_share_with_membership_groups':
    'Users may share only with groups of which they are members.',
  'core/shareapi_exclude_groups': 'Members of the groups in `shareapi_exclude_groups_list` may not share.',
  'core/shareapi_exclude_groups_list': 'Groups whose members may not share.',
  'core/shareapi_default_permissions':
    'Permissions of new shares with users, groups and partners if the request names none, as a sum of bits. Public links have 1 then.',
  'core/shareapi_allow_share_dialog_user_enumeration':
    'The search for recipients finds people and groups by a part of their name. If this is off, only a whole user id, name, mail address or group id finds them.',
  'core/shareapi_share_dialog_user_enumeration_group_members':
    'The search for recipients finds only the searching user’s groups and their members, and others by a whole user or group id.',
  'core/user_additional_info_field':
    'Field that distinguishes people with the same name in search and records.',
  'core/lock_timeout_default': 'Seconds that a lock by WebDAV lasts if the client requests no time.',
  'core/lock_timeout_max': 'Maximum seconds of a lock by WebDAV, until its client refreshes it.',
  'core/lock-breaker-groups': 'Groups whose members may end the locks of others.',
  'files/enable_lock_file_action': 'Capabilities tell web clients to offer the locking of files.',
  'files/max_nodes_per_user':
    'Maximum number of files and folders of one user; existing ones stay even above the limit. 0: no limit.',
  'web/session_idle_minutes': 'Minutes without a request after which a browser is signed out.',
  'web/session_days': 'Days after which a browser is signed out in any case.',
  'system/token_auth_enforced':
    'The main password of an account works only on the sign-in page; clients need app passwords.',
  'system/second_factor_groups':
    'Members of these groups have to sign in with a second factor; members without one have to set it up first.',
  'files_trashbin/retention_days':
    'Days for which deleted files stay in the trash bin; 0 keeps them until their owner removes them.',
  'files_versions/quota_percent':
    'Maximum size of the versions of a user’s files in percent of their quota, in addition to it; the oldest are removed first. 0: no limit.',
  'files_trashbin/quota_percent':
    'Maximum size of a user’s trash bin in percent of their quota, in addition to it; the next deletion removes the oldest entries first. 0: no limit.',
  'system/trashbin_skip_extensions':
    'Extensions of files, such as `tmp`, that are removed without the trash bin when their owner deletes them.',
  'system/trashbin_skip_directories':
    'Names of folders in the root of users: these folders and their content are removed without the trash bin when their owner deletes them.',
  'system/trashbin_skip_size_threshold':
    'Bytes: larger files are removed without the trash bin when their owner deletes them, but not inside of a deleted folder. 0: no file is.',
  'files/max_unfinished_uploads':
    'Files that one user, or the visitors of one link together, may be sending in pieces at once. 0: no limit.',
  'files/unfinished_uploads_days': 'Days after the last piece of an unfinished upload until it is removed.',
  'files/store_partner_writes':
    'Whether a file that is written into a folder of a partner is stored here until the partner has it, if the transfer is long or the partner is unreachable. Without it, the writer waits for the partner.',
  'files/partner_writes_at_once_megabytes':
    'Megabytes (of 1024 kB): the writer of a file up to this size waits for the partner if it answers, and gets a refusal immediately; larger files are stored first. 0: all are.',
  'files/stored_writes_user_megabytes':
    'Maximum megabytes of one user that wait for partners; above it, the answer is 507. 0: no limit.',
  'files/stored_writes_partner_megabytes':
    'Maximum megabytes that wait for one partner; above it, the answer is 507. 0: no limit.',
  'files/stored_writes_days':
    'Days after which a file that its partner did not accept becomes a file of its writer.',
  'files/partner_cache_megabytes':
    'Megabytes (of 1024 kB) of contents of partners’ files that are kept here for the next readers, who get them if the partner confirms that they are current. One file may use an eighth of it. 0: none are kept.',
  'files/partner_cache_while_away':
    'Whether these contents are shown while their partner is unreachable, with the header `Cache-Status`. Otherwise the answer is 503.',
  'files_antivirus/scan_uploads_of':
    'Senders whose uploads are scanned if `SCANNER` is configured: visitors of links and partners, or users as well.',
  'files_antivirus/unreachable':
    'Uploads that have to be scanned while the scanner does not answer: `refuse` answers 503, `allow` accepts them.',
  'files_antivirus/max_scan_megabytes':
    'Megabytes (of 1024 kB) of a file that are scanned at most. The scanner must take as many: `StreamMaxLength` of clamd. 0: no limit.',
  'files_antivirus/larger':
    'Larger files: `refuse` answers 413, `allow` accepts them if the scanned part has no finding.',
  'files_antivirus/finding':
    'Uploads with a finding: `refuse` removes them, `quarantine` keeps them for `drawbridge quarantine`. They are refused in both cases.',
  'files_antivirus/quarantine_days':
    'Days for which uploads stay in quarantine; 0 keeps them until an operator removes them.',
  'files_antivirus/quarantine_max_megabytes':
    'Megabytes that the quarantine holds at most; more uploads are refused and not kept. 0: no limit.',
  'files_sharing/outgoing_server2server_share_enabled': 'Users may share with people on other instances.',
  'files_sharing/incoming_server2server_group_share_enabled':
    'Other instances may share with groups here: each member gets an offer, up to 200 members.',
  'files_sharing/outgoing_server2server_group_share_enabled':
    'Users may share with groups on other instances, by shareType 9, which is an unknown type otherwise.',
  'files_sharing/incoming_server2server_share_enabled': 'Other instances may share with users here.',
  'files_sharing/remind_days_before_expiry':
    'Days before the last day of a share when people are reminded of its end; 0 for never.',
  'files_sharing/blacklisted_receiver_groups': 'Groups that no share can be made with.',
  'files_sharing/public_share_sharers_groups_allowlist_enabled':
    'Only members of the groups in `public_share_sharers_groups_allowlist` may make public links.',
  'files_sharing/public_share_sharers_groups_allowlist':
    'Groups whose members may make public links; an empty list allows everybody.',
  'files_sharing/reshares_without_access':
    'Reshares of a resharer who lost access: `keep` keeps them, `follow` reduces or ends them.',
  'federatedfilesharing/auto_accept_trusted':
    'Verified offers from trusted partners are accepted without asking; each recipient can choose otherwise.',
  'federatedfilesharing/allowed_hosts':
    'The only hosts that shares are exchanged with; an empty list allows every host.',
  'federatedfilesharing/denied_hosts': 'Hosts that shares are never exchanged with.',
  'federatedfilesharing/incoming_default_trust': 'Offers from partners without a decision of their own.',
  'federatedfilesharing/outgoing_default_trust': 'Shares with partners without a decision of their own.',
  'federatedfilesharing/incoming_signatures': 'Signatures that messages from partners need.',
  'federatedfilesharing/require_token_exchange':
    'Partners must exchange the secret of a share for an access token, if their server supports it.',
  'federatedfilesharing/incoming_token_exchange':
    'Secrets of received shares are exchanged for access tokens, if the partner’s server supports it.',
  'federatedfilesharing/incoming_webapps':
    'Web applications in offers of partners are taken, and recipients may open them.',
  'federatedfilesharing/webapp_hosts':
    'Hosts at which web applications of partners may be, besides the partner’s own host.',
  'federatedfilesharing/outgoing_webapps':
    'Shares with partners that open web applications are also offered as pages of this instance; their secrets must be exchanged.',
  'federatedfilesharing/unanswered_after_days':
    'Days after which a delivered share without any answer appears in `drawbridge delivery list --unanswered`.',
  'federation/exchange_address_books':
    'Trusted partners with a handshake read the names of accounts that agreed to it, and people here find those that partners name.',
  'federation/find_by_mail':
    'A whole mail address that nobody here has is asked for at its domain by WebFinger, and the federated account that it names is found.',
  'federation/mail_servers': 'Servers that are asked by WebFinger in place of a mail domain.',
  'federation/answer_webfinger':
    'WebFinger names the federated cloud id of people who agreed to be found by their whole mail address (`federation/found_by_mail`).',
  'system/share_folder': 'Folder in which received shares appear.',
  'system/dav.propfind.depth_infinity':
    'PROPFIND with `Depth: infinity` lists a folder with everything below it, up to 10,000 entries.',
  'system/dav.enable.async':
    'MOVE with `OC-LazyOps` gets an early answer and continues in the background; its state is at `dav/job-status`.',
  'system/enable_avatars': 'Accounts have pictures, and people may upload their own.',
  'system/enable_previews': 'Previews of pictures and texts are made.',
  'system/preview_max_x': 'Width of previews in pixels at most; 0 and more than 4096 count as 4096.',
  'system/preview_max_y': 'Height of previews in pixels at most; 0 and more than 4096 count as 4096.',
  'system/audit_retention_days': 'Days for which audit events are kept; 0 keeps them for ever.',
  'system/account_grace_days':
    'Days between the request to end an account and its end, if the request names none; until then it can be cancelled.',
  'system/user.search_min_length': 'Characters that a search for recipients needs.',
  'system/allow_user_to_change_display_name':
    'Users may change their own display names; administrators always may.',
  'system/allow_user_to_change_mail_address':
    'Users may change their own mail addresses; administrators always may.',
  'system/blacklisted_files': 'Names that no new file or folder may have, in upper or lower case.',
  'system/blacklisted_files_regex': 'Patterns of such names.',
  'system/excluded_directories':
    'Names of folders that accept no new entries; no new file or folder may have these names.',
  'system/excluded_directories_regex': 'Patterns of such names.',
  'system/versions_retention_obligation':
    'How long versions of files stay: `auto` (fewer with their age), `disabled` (for ever), or two of days and `auto`, such as `30,auto` or `auto,365`: for how long at least and at most.',
  'system/maintenance': 'The instance is in maintenance: clients are informed, and get 503.',
};

/** Values that a setting of each kind takes, for operators. */
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
  'mail-servers': 'JSON list of `mail.example=cloud.example.org`, at most 100',
  folder: 'path',
  'info-field': '`email`, `id` or empty',
  count: '0 to 64',
  limit: 'number, from 0',
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
