import { mayCreateLinks, mayShare, policyFrom, type SharingPolicy } from './policy';

const policy = (stored: Readonly<Record<string, string>> = {}): SharingPolicy =>
  policyFrom(new Map(Object.entries(stored)));

/** The value at a path of the policy, such as `links.password.readOnly`. */
const at = (object: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], object);

describe('the policy', () => {
  it('has the defaults of deployed servers without stored settings', () => {
    const off = { defaultOn: false, enforced: false, days: 7 };
    expect(policy()).toEqual({
      apiEnabled: true,
      maintenance: false,
      links: {
        enabled: true,
        publicUpload: true,
        password: { readOnly: false, readWrite: false, uploadOnly: false, readWriteDelete: false },
        mayMail: false,
        social: true,
        creators: undefined,
      },
      groupSharing: true,
      resharing: true,
      autoAccept: true,
      avatars: true,
      onlyGroupMembers: false,
      onlyMembershipGroups: false,
      excludedGroups: [],
      blacklistedReceiverGroups: [],
      defaultPermissions: 31,
      expiry: { user: off, group: off, link: off, remote: off },
      mailNotification: false,
      enumeration: { enabled: true, groupMembersOnly: false },
      additionalInfo: '',
      federation: {
        outgoing: true,
        incoming: true,
        incomingToGroups: false,
        outgoingToGroups: false,
        autoAcceptTrusted: false,
        allowedHosts: [],
        deniedHosts: [],
        exchangeAddressBooks: false,
        findByMail: false,
        mailServers: new Map(),
        answerWebFinger: false,
        defaultTrust: { incoming: 'allowed', outgoing: 'allowed' },
        tokenExchange: { incoming: false, outgoing: false },
        webapps: { incoming: true, outgoing: false },
        webappHosts: [],
        signatures: 'known',
      },
      shareFolder: '/',
      depthInfinity: false,
      partnerWrites: {
        isOn: true,
        atOnceBytes: 8 * 1024 ** 2,
        userBytes: 20 * 1024 ** 3,
        partnerBytes: 200 * 1024 ** 3,
        maxAgeMs: 7 * 86_400_000,
      },
      partnerCache: { bytes: 1024 ** 3, fileBytes: 128 * 1024 ** 2, servesWhileAway: false },
      previews: { enabled: true, maxWidth: 2048, maxHeight: 2048 },
      backgroundMoves: false,
      sessions: { idleMinutes: 720, days: 30 },
      clientsNeedAppPasswords: false,
      secondFactorGroups: [],
      locks: { defaultSeconds: 1800, maxSeconds: 86_400, breakerGroups: [], offered: false },
      refusedNames: { names: ['.htaccess'], patterns: [] },
      trash: { extensions: [], folders: [], largestBytes: 0 },
      ownAccount: { displayName: true, email: true },
      scanning: {
        everybody: false,
        maxBytes: 25 * 1024 * 1024,
        refusesLarger: false,
        refusesUnscanned: true,
        quarantine: { isOn: false, days: 30, maxBytes: 1024 * 1024 * 1024 },
      },
      searchMinLength: 2,
      passwords: { minLength: 10, refuseCommon: true },
    });
  });

  it.each([
    ['core/shareapi_enabled', 'no', 'apiEnabled', false],
    ['system/maintenance', 'yes', 'maintenance', true],
    ['core/shareapi_allow_links', 'no', 'links.enabled', false],
    ['core/shareapi_allow_public_upload', 'no', 'links.publicUpload', false],
    ['core/shareapi_enforce_links_password_read_only', 'yes', 'links.password.readOnly', true],
    ['core/shareapi_enforce_links_password_read_write', 'yes', 'links.password.readWrite', true],
    ['core/shareapi_enforce_links_password_write_only', 'yes', 'links.password.uploadOnly', true],
    ['core/shareapi_enforce_links_password_read_write_delete', 'yes', 'links.password.readWriteDelete', true],
    ['core/shareapi_allow_public_notification', 'yes', 'links.mayMail', true],
    ['core/shareapi_allow_social_share', 'no', 'links.social', false],
    ['core/shareapi_allow_group_sharing', 'no', 'groupSharing', false],
    ['core/shareapi_allow_resharing', 'no', 'resharing', false],
    ['core/shareapi_auto_accept_share', 'no', 'autoAccept', false],
    ['core/shareapi_only_share_with_group_members', 'yes', 'onlyGroupMembers', true],
    ['core/shareapi_only_share_with_membership_groups', 'yes', 'onlyMembershipGroups', true],
    ['core/shareapi_default_permissions', '1', 'defaultPermissions', 1],
    ['core/shareapi_allow_mail_notification', 'yes', 'mailNotification', true],
    ['core/shareapi_allow_share_dialog_user_enumeration', 'no', 'enumeration.enabled', false],
    [
      'core/shareapi_share_dialog_user_enumeration_group_members',
      'yes',
      'enumeration.groupMembersOnly',
      true,
    ],
    ['core/user_additional_info_field', 'email', 'additionalInfo', 'email'],
    ['files_sharing/outgoing_server2server_share_enabled', 'no', 'federation.outgoing', false],
    ['files_sharing/incoming_server2server_share_enabled', 'no', 'federation.incoming', false],
    ['files_sharing/blacklisted_receiver_groups', '["staff"]', 'blacklistedReceiverGroups', ['staff']],
    ['federatedfilesharing/auto_accept_trusted', 'yes', 'federation.autoAcceptTrusted', true],
    ['federatedfilesharing/allowed_hosts', '["a.example"]', 'federation.allowedHosts', ['a.example']],
    ['federatedfilesharing/denied_hosts', '["b.example"]', 'federation.deniedHosts', ['b.example']],
    ['system/share_folder', '/Shares', 'shareFolder', '/Shares'],
    ['system/user.search_min_length', '4', 'searchMinLength', 4],
  ])('reads %s = %s as %s', (name, value, path, expected) => {
    expect(at(policy(), path)).not.toEqual(expected);
    expect(at(policy({ [name]: value }), path)).toEqual(expected);
  });

  it.each([
    ['', 'link'],
    ['_user_share', 'user'],
    ['_group_share', 'group'],
    ['_remote_share', 'remote'],
  ])('enforces an expiry%s only where there is a default', (suffix, scope) => {
    const enforced = { [`core/shareapi_enforce_expire_date${suffix}`]: 'yes' };
    const defaultOn = { [`core/shareapi_default_expire_date${suffix}`]: 'yes' };
    const days = { [`core/shareapi_expire_after_n_days${suffix}`]: '3' };
    expect(at(policy(enforced), `expiry.${scope}`)).toEqual({ defaultOn: false, enforced: false, days: 7 });
    expect(at(policy({ ...enforced, ...defaultOn, ...days }), `expiry.${scope}`)).toEqual({
      defaultOn: true,
      enforced: true,
      days: 3,
    });
  });
});

describe('the right to share', () => {
  const excluded = { 'core/shareapi_exclude_groups_list': '["guests"]' };
  const both = { ...excluded, 'core/shareapi_exclude_groups': 'yes' };

  it('belongs to everybody except members of excluded groups, if that is switched on', () => {
    expect(mayShare(policy(excluded), ['guests'])).toBe(true);
    expect(mayShare(policy(both), ['staff', 'guests'])).toBe(false);
    expect(mayShare(policy(both), ['staff'])).toBe(true);
    expect(mayShare(policy(both), [])).toBe(true);
  });
});

describe('the right to create links', () => {
  const on = { 'files_sharing/public_share_sharers_groups_allowlist_enabled': 'yes' };
  const list = { 'files_sharing/public_share_sharers_groups_allowlist': '["staff"]' };

  it('belongs to everybody unless a list is switched on and names a group', () => {
    for (const stored of [{}, on, list]) expect(mayCreateLinks(policy(stored), [])).toBe(true);
    expect(mayCreateLinks(policy({ ...on, ...list }), ['guests'])).toBe(false);
    expect(mayCreateLinks(policy({ ...on, ...list }), ['guests', 'staff'])).toBe(true);
  });
});
