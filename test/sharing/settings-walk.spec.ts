import { SETTINGS } from '../../libs/sharing/src';
import { eventually } from '../../libs/testing/src';
import { SharingGateway, type Answer, type Form } from './sharing-gateway';

/** Short form of an answer. */
type Shown = string | number | null | undefined;

interface Step {
  /** `app/key` and the new value. */
  readonly set: readonly [string, string];
  /** Settings that it needs to have an effect. */
  readonly with?: readonly (readonly [string, string])[];
  /** Place in the capabilities, with the values before and afterwards; undefined if it is not announced. */
  readonly announced?: readonly [string, unknown, unknown];
  /** Request, and its answers before and after; undefined if the setting is only a hint for clients. */
  readonly asks?: readonly [(people: SharingGateway, path: string) => Promise<Shown>, Shown, Shown];
}

const CORE = 'core/shareapi_';
const codeOf = async (answer: Promise<Answer>): Promise<number> => (await answer).code;
const field = async (answer: Promise<Answer>, name: string): Promise<Shown> =>
  ((await answer).data as Record<string, Shown>)[name];

const share =
  (form: Form, uid = 'alice') =>
  (people: SharingGateway, path: string) =>
    codeOf(people.share(uid, { path, ...form }));
const shared = (form: Form, name: string) => (people: SharingGateway, path: string) =>
  field(people.share('alice', { path, ...form }), name);
const USER = { shareWith: 'bob' };
const GROUP = { shareType: '1', shareWith: 'team' };
const LINK = { shareType: '3' };

/** Days from now, as a record shows them. */
const inDays = (days: number): string =>
  `${new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)} 00:00:00`;

const password = (suffix: string, key: string, permissions: string): Step => ({
  set: [`${CORE}enforce_links_password_${suffix}`, 'yes'],
  announced: [`files_sharing.public.password.enforced_for.${key}`, false, true],
  asks: [share({ ...LINK, permissions }), 200, 403],
});

function expiry(suffix: string, place: string, form: Form | undefined): Step[] {
  const [on, enforced, days] = ['default_expire_date', 'enforce_expire_date', 'expire_after_n_days'].map(
    (name) => `${CORE}${name}${suffix}`,
  ) as [string, string, string];
  const asks = (before: Shown, after: Shown): Pick<Step, 'asks'> =>
    form ? { asks: [shared(form, 'expiration'), before, after] } : {};
  return [
    { set: [on, 'yes'], announced: [`${place}.enabled`, false, true], ...asks(null, null) },
    {
      set: [enforced, 'yes'],
      with: [[on, 'yes']],
      announced: [`${place}.enforced`, false, true],
      ...asks(null, inDays(7)),
    },
    {
      set: [days, '3'],
      with: [
        [on, 'yes'],
        [enforced, 'yes'],
      ],
      announced: [`${place}.days`, '7', '3'],
      ...asks(inDays(7), inDays(3)),
    },
  ];
}

/** Kinds of recipients that partners may offer files to. */
const offeredTypes = async ({ gateway }: SharingGateway): Promise<Shown> => {
  const answer = await fetch(`${gateway.url}/.well-known/ocm`);
  const { resourceTypes } = (await answer.json()) as { resourceTypes: { shareTypes: string[] }[] };
  return resourceTypes[0]!.shareTypes.join();
};

/** Whether partners read about this protocol. */
const announced =
  (protocol: string) =>
  async ({ gateway }: SharingGateway): Promise<Shown> => {
    const answer = await fetch(`${gateway.url}/.well-known/ocm`);
    const { resourceTypes } = (await answer.json()) as { resourceTypes: { protocols: object }[] };
    return protocol in resourceTypes[0]!.protocols ? 'yes' : 'no';
  };

/** Bob shares a share of alice again. */
const reshare = async (people: SharingGateway, path: string): Promise<Shown> => {
  await people.share('alice', { path, shareWith: 'bob' });
  await people.entries('bob');
  return codeOf(people.share('bob', { path, shareWith: 'dave' }));
};

/** Number of users and groups in a search that are no exact match. */
const sharees =
  (search: string) =>
  async (people: SharingGateway): Promise<Shown> => {
    const { data } = await people.ocs(
      'GET',
      `/apps/files_sharing/api/v1/sharees?itemType=file&search=${search}`,
      'alice',
    );
    return (data.users as unknown[]).length + (data.groups as unknown[]).length;
  };

const STEPS: readonly Step[] = [
  {
    set: [`${CORE}enabled`, 'no'],
    announced: ['files_sharing.api_enabled', true, false],
    asks: [share(USER), 200, 404],
  },
  {
    set: [`${CORE}allow_links`, 'no'],
    announced: ['files_sharing.public.enabled', true, false],
    asks: [share(LINK), 200, 404],
  },
  {
    set: [`${CORE}allow_public_upload`, 'no'],
    announced: ['files_sharing.public.upload', true, false],
    asks: [share({ ...LINK, publicUpload: 'true' }), 200, 403],
  },
  password('read_only', 'read_only', '1'),
  password('read_write', 'read_write', '5'),
  password('write_only', 'upload_only', '4'),
  password('read_write_delete', 'read_write_delete', '15'),
  ...expiry('', 'files_sharing.public.expire_date', LINK),
  ...expiry('_user_share', 'files_sharing.user.expire_date', USER),
  ...expiry('_group_share', 'files_sharing.group.expire_date', GROUP),
  ...expiry('_remote_share', 'files_sharing.remote.expire_date', undefined),
  {
    set: [`${CORE}allow_public_notification`, 'yes'],
    announced: ['files_sharing.public.send_mail', false, true],
  },
  {
    set: [`${CORE}allow_mail_notification`, 'yes'],
    announced: ['files_sharing.user.send_mail', false, true],
  },
  { set: [`${CORE}allow_social_share`, 'no'], announced: ['files_sharing.public.social_share', true, false] },
  {
    set: [`${CORE}allow_group_sharing`, 'no'],
    announced: ['files_sharing.group_sharing', true, false],
    asks: [share(GROUP), 200, 404],
  },
  {
    set: [`${CORE}allow_resharing`, 'no'],
    announced: ['files_sharing.resharing', true, false],
    asks: [reshare, 200, 404],
  },
  {
    set: [`${CORE}auto_accept_share`, 'no'],
    announced: ['files_sharing.auto_accept_share', true, false],
    asks: [
      async (people, path) => {
        const id = await people.shareId('alice', { path, ...USER });
        return (await people.received('bob')).find((record) => record.id === id)?.state;
      },
      0,
      1,
    ],
  },
  {
    set: [`${CORE}only_share_with_group_members`, 'yes'],
    announced: ['files_sharing.share_with_group_members_only', false, true],
    asks: [share({ shareWith: 'dave' }), 200, 403],
  },
  {
    set: [`${CORE}only_share_with_membership_groups`, 'yes'],
    announced: ['files_sharing.share_with_membership_groups_only', false, true],
    asks: [share({ shareType: '1', shareWith: 'others' }), 200, 403],
  },
  {
    set: [`${CORE}exclude_groups`, 'yes'],
    with: [[`${CORE}exclude_groups_list`, '["team"]']],
    announced: ['files_sharing.can_share', true, false],
    asks: [share(USER), 200, 403],
  },
  {
    set: [`${CORE}exclude_groups_list`, '["team"]'],
    with: [[`${CORE}exclude_groups`, 'yes']],
    announced: ['files_sharing.can_share', true, false],
    asks: [share(USER), 200, 403],
  },
  {
    set: [`${CORE}default_permissions`, '17'],
    announced: ['files_sharing.default_permissions', 31, 17],
    asks: [shared(USER, 'permissions'), 31, 17],
  },
  {
    set: [`${CORE}allow_share_dialog_user_enumeration`, 'no'],
    announced: ['files_sharing.user_enumeration.enabled', true, false],
    asks: [sharees('dav'), 1, 0],
  },
  {
    set: [`${CORE}share_dialog_user_enumeration_group_members`, 'yes'],
    announced: ['files_sharing.user_enumeration.group_members_only', false, true],
    asks: [sharees('dav'), 1, 0],
  },
  {
    set: ['core/user_additional_info_field', 'id'],
    asks: [shared(USER, 'share_with_additional_info'), null, 'bob'],
  },
  {
    set: ['files_sharing/outgoing_server2server_share_enabled', 'no'],
    announced: ['files_sharing.federation.outgoing', true, false],
  },
  {
    set: ['files_sharing/incoming_server2server_share_enabled', 'no'],
    announced: ['files_sharing.federation.incoming', true, false],
  },
  {
    set: ['files_sharing/incoming_server2server_group_share_enabled', 'yes'],
    asks: [offeredTypes, 'user', 'user,group,federation'],
  },
  {
    set: ['files_sharing/outgoing_server2server_group_share_enabled', 'yes'],
    asks: [share({ shareType: '9', shareWith: 'team@127.0.0.1:9' }), 400, 403],
  },
  { set: ['files_sharing/blacklisted_receiver_groups', '["team"]'], asks: [share(GROUP), 200, 403] },
  {
    set: ['files_sharing/public_share_sharers_groups_allowlist_enabled', 'yes'],
    with: [['files_sharing/public_share_sharers_groups_allowlist', '["others"]']],
    announced: ['files_sharing.public.can_create_public_link', true, false],
    asks: [share(LINK), 200, 403],
  },
  {
    set: ['files_sharing/public_share_sharers_groups_allowlist', '["others"]'],
    with: [['files_sharing/public_share_sharers_groups_allowlist_enabled', 'yes']],
    announced: ['files_sharing.public.can_create_public_link', true, false],
    asks: [share(LINK), 200, 403],
  },
  // The specs of locks test these settings.
  { set: ['core/lock_timeout_default', '600'] },
  { set: ['core/lock_timeout_max', '7200'] },
  { set: ['core/lock-breaker-groups', '["admin"]'] },
  {
    set: ['files/enable_lock_file_action', 'yes'],
    announced: ['files.file_locking_enable_file_action', false, true],
  },
  // The specs of files test this limit.
  { set: ['files/max_nodes_per_user', '1000'] },
  // The spec of expiring shares tests this setting.
  { set: ['files_sharing/remind_days_before_expiry', '5'] },
  { set: ['files_trashbin/retention_days', '7'] },
  { set: ['files_trashbin/quota_percent', '10'] },
  // This test has no signed-in browsers.
  { set: ['web/session_idle_minutes', '60'] },
  { set: ['web/session_days', '1'] },
  { set: ['system/token_auth_enforced', 'yes'], asks: [share(USER), 200, 997] },
  { set: ['system/second_factor_groups', '["team"]'], asks: [share(USER), 200, 997] },
  { set: ['files_versions/quota_percent', '10'] },
  { set: ['system/versions_retention_obligation', '30,auto'] },
  // These settings are for uploads in pieces.
  { set: ['files/max_unfinished_uploads', '10'] },
  { set: ['files/unfinished_uploads_days', '1'] },
  // These settings are for files that users write into folders of partners.
  { set: ['files/store_partner_writes', 'no'] },
  { set: ['files/partner_writes_at_once_megabytes', '1'] },
  { set: ['files/stored_writes_user_megabytes', '100'] },
  { set: ['files/stored_writes_partner_megabytes', '100'] },
  { set: ['files/stored_writes_days', '1'] },
  // These settings are for contents that users read from partners.
  { set: ['files/partner_cache_megabytes', '10'] },
  { set: ['files/partner_cache_while_away', 'yes'] },
  // These settings need a scanner; the specs of files test them.
  { set: ['files_antivirus/scan_uploads_of', 'everybody'] },
  { set: ['files_antivirus/unreachable', 'allow'] },
  { set: ['files_antivirus/max_scan_megabytes', '1'] },
  { set: ['files_antivirus/larger', 'refuse'] },
  { set: ['files_antivirus/finding', 'quarantine'] },
  { set: ['files_antivirus/quarantine_days', '7'] },
  { set: ['files_antivirus/quarantine_max_megabytes', '10'] },
  // This setting has an effect when a user loses access.
  { set: ['files_sharing/reshares_without_access', 'follow'] },
  // These settings only have an effect between two servers.
  { set: ['federatedfilesharing/auto_accept_trusted', 'yes'] },
  { set: ['federatedfilesharing/allowed_hosts', '["partner.example"]'] },
  { set: ['federatedfilesharing/denied_hosts', '["partner.example"]'] },
  { set: ['federatedfilesharing/incoming_default_trust', 'invited'] },
  { set: ['federatedfilesharing/outgoing_default_trust', 'denied'] },
  { set: ['federatedfilesharing/require_token_exchange', 'yes'] },
  { set: ['federatedfilesharing/incoming_token_exchange', 'yes'] },
  { set: ['federatedfilesharing/incoming_webapps', 'no'], asks: [announced('webapp-receive'), 'yes', 'no'] },
  { set: ['federatedfilesharing/outgoing_webapps', 'yes'], asks: [announced('webapp'), 'no', 'yes'] },
  { set: ['federatedfilesharing/webapp_hosts', '["hub.partner.example"]'] },
  { set: ['federatedfilesharing/incoming_signatures', 'required'] },
  { set: ['federatedfilesharing/unanswered_after_days', '3'] },
  { set: ['federation/exchange_address_books', 'yes'] },
  { set: ['federation/find_by_mail', 'yes'] },
  { set: ['federation/mail_servers', '["mail.example=cloud.example.org"]'] },
  { set: ['federation/answer_webfinger', 'yes'] },
  // The specs of accounts and links test these rules for passwords.
  { set: ['password_policy/minLength', '12'] },
  { set: ['password_policy/enforceNonCommonPassword', 'yes'] },
  {
    set: ['system/enable_avatars', 'no'],
    announced: ['files_sharing.user.profile_picture', true, false],
  },
  // The specs of files test these settings for previews.
  { set: ['system/enable_previews', 'no'] },
  { set: ['system/preview_max_x', '64'] },
  { set: ['system/preview_max_y', '64'] },
  { set: ['system/audit_retention_days', '30'] },
  // The specs of deleted accounts test this setting.
  { set: ['system/account_grace_days', '7'] },
  {
    set: ['system/blacklisted_files', '["thumbs.db"]'],
    announced: ['files.blacklisted_files', ['.htaccess'], ['thumbs.db']],
  },
  // The specs of the trash bin test these settings.
  { set: ['system/trashbin_skip_extensions', '["tmp"]'] },
  { set: ['system/trashbin_skip_directories', '["scratch"]'] },
  { set: ['system/trashbin_skip_size_threshold', '1000'] },
  { set: ['system/blacklisted_files_regex', '["\\\\.tmp$"]'] },
  { set: ['system/excluded_directories', '[".git"]'] },
  { set: ['system/excluded_directories_regex', '["^\\\\.snapshot"]'] },
  { set: ['system/allow_user_to_change_display_name', 'no'] },
  { set: ['system/allow_user_to_change_mail_address', 'no'] },
  {
    set: ['system/dav.propfind.depth_infinity', 'yes'],
    announced: ['dav.propfind.depth_infinity', false, true],
  },
  { set: ['system/dav.enable.async', 'yes'], announced: ['async', undefined, '1.0'] },
  {
    set: ['system/share_folder', '/Shares'],
    asks: [async (...call) => String(await shared(USER, 'file_target')(...call)).split('/').length, 2, 3],
  },
  {
    set: ['system/user.search_min_length', '4'],
    announced: ['files_sharing.search_min_length', 2, 4],
    asks: [sharees('dav'), 1, 0],
  },
  { set: ['system/maintenance', 'yes'], asks: [share(USER), 200, 503] },
];

/** With these settings, requests of this test's clients are refused. */
const KEEPS_OUT: ReadonlySet<string> = new Set([
  'system/maintenance',
  'system/token_auth_enforced',
  'system/second_factor_groups',
]);

describe('every setting', () => {
  let people: SharingGateway;
  let count = 0;
  beforeAll(async () => {
    people = await SharingGateway.start({ compatibility: 'owncloud10' });
    await people.addUsers('alice', 'bob', 'dave');
    await people.addGroup('team', 'alice', 'bob');
    await people.addGroup('others', 'dave');
  });
  afterAll(() => people?.stop());

  it('has a step in this test', () => {
    const names = SETTINGS.map(({ app, key }) => `${app}/${key}`);
    expect(STEPS.map(({ set: [name] }) => name).sort()).toEqual(names.sort());
  });

  async function announcement(place: string): Promise<unknown> {
    const { data } = await people.ocs('GET', '/cloud/capabilities', 'alice');
    return place
      .split('.')
      .reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], data.capabilities);
  }

  async function goBack({ set: [name], with: others = [] }: Step): Promise<void> {
    if (KEEPS_OUT.has(name)) await letIn(name);
    else for (const used of [name, ...others.map(([other]) => other)]) await people.unset(used);
  }

  /** In the database, because requests are refused until then. */
  async function letIn(name: string): Promise<void> {
    await people.query(`DELETE FROM setting WHERE app || '/' || key = '${name}'`);
    const isServed = async () => (await people.shares('GET', '', 'alice')).code === 200;
    await eventually('people to be served again', isServed);
  }

  /** The announced value, and the answer of a request about the folder. */
  async function look({ announced, asks }: Step, path: string): Promise<unknown[]> {
    return [announced && (await announcement(announced[0])), asks && (await asks[0](people, path))];
  }

  it.each(STEPS.map((step) => [step.set[0], step.set[1], step] as const))(
    '%s = %s changes the capabilities and the behaviour',
    async (name, value, step) => {
      const [before, after] = [`/folder-${++count}`, `/folder-${++count}`];
      await people.store('alice', `${before}/`, `${after}/`);
      for (const [other, given] of step.with ?? []) await people.set(other, given);
      try {
        expect(await look(step, before)).toEqual([step.announced?.[1], step.asks?.[1]]);
        await people.set(name, value);
        expect(await look(step, after)).toEqual([step.announced?.[2], step.asks?.[2]]);
      } finally {
        await goBack(step);
      }
    },
  );
});
