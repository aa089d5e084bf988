import type { CapabilityEntry } from '#persistence';
import { policyFrom, type Compatibility } from '#sharing';
import { capabilityDocument, serverStatus } from './capability-document';

interface Given {
  readonly settings?: Readonly<Record<string, string>>;
  readonly compatibility?: Compatibility;
  readonly entries?: Readonly<Record<string, CapabilityEntry>>;
  readonly canShare?: boolean;
  readonly canCreateLinks?: boolean;
}

/** The capabilities as a client reads them. */
function capabilities(given: Given = {}) {
  const { canShare = true, canCreateLinks = true, compatibility = 'documented' } = given;
  const policy = policyFrom(new Map(Object.entries(given.settings ?? {})), compatibility);
  const entries = new Map(Object.entries(given.entries ?? {}));
  const document = capabilityDocument(policy, { canShare, canCreateLinks }, entries, {
    compatibility,
    address: 'https://cloud.example.org',
  });
  return JSON.parse(JSON.stringify(document)).capabilities;
}

const core = (key: string, value: string): Record<string, string> => ({ [`core/shareapi_${key}`]: value });

describe('the rules for passwords in capabilities', () => {
  it('are announced if there are any', () => {
    const rules = {
      min_characters: 10,
      min_lowercase_characters: 0,
      min_uppercase_characters: 0,
      min_digits: 0,
      min_special_characters: 0,
    };
    expect(capabilities().password_policy).toEqual(rules);
    const settings = { 'password_policy/minLength': '12' };
    expect(capabilities({ settings, compatibility: 'owncloud10' }).password_policy).toEqual({
      ...rules,
      min_characters: 12,
    });
  });

  it('are not announced if there are none', () => {
    expect(capabilities({ compatibility: 'owncloud10' }).password_policy).toBeUndefined();
  });
});

describe('the status in capabilities', () => {
  it('has its flags as texts in documented mode', () => {
    const { status } = capabilities().core;
    expect(status).toMatchObject({ installed: 'true', maintenance: 'false', needsDbUpgrade: 'false' });
    for (const value of Object.values(status)) expect(typeof value).toBe('string');
  });

  it('has its flags as booleans in owncloud10 mode', () => {
    const { status } = capabilities({ compatibility: 'owncloud10' }).core;
    expect(status).toMatchObject({ installed: true, maintenance: false, needsDbUpgrade: false });
  });

  it('is the same as in status.php, with booleans and without the host', () => {
    expect(Object.keys(serverStatus(true))).toEqual([
      ...[
        'installed',
        'maintenance',
        'needsDbUpgrade',
        'version',
        'versionstring',
        'edition',
        'productname',
        'product',
      ],
    ]);
    expect(serverStatus(true).maintenance).toBe(true);
  });
});

describe('announcements about sharing', () => {
  const password = (settings: Given['settings'], compatibility: Compatibility) =>
    capabilities({ settings, compatibility }).files_sharing.public.password;

  it('only announce that sharing is off while it is switched off', () => {
    expect(capabilities({ settings: core('enabled', 'no') }).files_sharing).toEqual({
      api_enabled: false,
      public: { enabled: false },
      user: { send_mail: false, profile_picture: true },
      resharing: false,
      can_share: false,
      providers_capabilities: false,
      federation: { outgoing: expect.any(Boolean), incoming: expect.any(Boolean) },
      search_min_length: 2,
    });
  });

  it('only announce that links are off while they are switched off', () => {
    expect(capabilities({ settings: core('allow_links', 'no') }).files_sharing.public).toEqual({
      enabled: false,
    });
  });

  it.each([
    ['enforce_links_password_read_only', 'read_only'],
    ['enforce_links_password_read_write', 'read_write'],
    ['enforce_links_password_write_only', 'upload_only'],
    ['enforce_links_password_read_write_delete', 'read_write_delete'],
  ])('announce that %s is enforced', (key, name) => {
    const documented = ['read_only', 'read_write', 'upload_only'];
    const flags = (names: readonly string[]) =>
      Object.fromEntries(names.map((each) => [each, each === name]));
    const enforced_for = flags([...documented, 'read_write_delete']);
    const settings = core(key, 'yes');
    expect(password(settings, 'owncloud10')).toEqual({ enforced_for, enforced: true });
    expect(password(settings, 'documented')).toEqual({ enforced_for, enforced: flags(documented) });
  });

  it('have a plain flag for deployed clients if no password is enforced', () => {
    expect(password({}, 'owncloud10').enforced).toBe(false);
  });

  it.each([
    ['', 'public'],
    ['_user_share', 'user'],
    ['_group_share', 'group'],
    ['_remote_share', 'remote'],
  ])('announce a default expiry%s, with its days as a text', (suffix, kind) => {
    const days = core(`expire_after_n_days${suffix}`, '30');
    const on = core(`default_expire_date${suffix}`, 'yes');
    const enforced = core(`enforce_expire_date${suffix}`, 'yes');
    const shown = (settings: Given['settings']) => capabilities({ settings }).files_sharing[kind].expire_date;
    expect(shown({ ...days, ...enforced })).toEqual({ enabled: false });
    expect(shown({ ...days, ...on })).toEqual({ enabled: true, days: '30', enforced: false });
    expect(shown({ ...days, ...on, ...enforced })).toEqual({ enabled: true, days: '30', enforced: true });
  });

  it.each([
    ['allow_resharing', 'resharing'],
    ['allow_group_sharing', 'group_sharing'],
    ['auto_accept_share', 'auto_accept_share'],
    ['only_share_with_group_members', 'share_with_group_members_only'],
    ['only_share_with_membership_groups', 'share_with_membership_groups_only'],
  ])('follow %s', (key, name) => {
    for (const value of ['yes', 'no'])
      expect(capabilities({ settings: core(key, value) }).files_sharing[name]).toBe(value === 'yes');
  });

  it('have the enumeration within groups only if it is on', () => {
    const groupsOnly = core('share_dialog_user_enumeration_group_members', 'yes');
    const off = core('allow_share_dialog_user_enumeration', 'no');
    expect(capabilities({ settings: groupsOnly }).files_sharing.user_enumeration).toEqual({
      enabled: true,
      group_members_only: true,
    });
    expect(capabilities({ settings: { ...groupsOnly, ...off } }).files_sharing.user_enumeration).toEqual({
      enabled: false,
    });
  });

  it('depend on the caller', () => {
    const { files_sharing } = capabilities({ canShare: false, canCreateLinks: false });
    expect(files_sharing.can_share).toBe(false);
    expect(files_sharing.public.can_create_public_link).toBe(false);
  });
});

describe('entries of other apps', () => {
  it('are added to the product’s own', () => {
    const merged = capabilities({ entries: { notes: { notes: { api_version: ['0.2', '1.3'] } } } });
    expect(merged.notes).toEqual({ api_version: ['0.2', '1.3'] });
    expect(merged.files_sharing).toEqual(capabilities().files_sharing);
  });

  it('are merged in their order: maps are combined, and other values are replaced by the later one', () => {
    const entries = {
      first: { spec: { list: [1, 2, 3], map: { a: 1, b: 1 }, text: 'first' } },
      second: { spec: { list: [4], map: { b: 2, c: 2 }, text: { now: 'a map' } } },
    };
    expect(capabilities({ entries }).spec).toEqual({
      list: [4],
      map: { a: 1, b: 2, c: 2 },
      text: { now: 'a map' },
    });
  });

  it('may have the names of members of every JavaScript object', () => {
    const { constructor, toString } = capabilities({
      entries: { app: { constructor: { a: 1 }, toString: [2] } },
    });
    expect({ constructor, toString }).toEqual({ constructor: { a: 1 }, toString: [2] });
  });
});
