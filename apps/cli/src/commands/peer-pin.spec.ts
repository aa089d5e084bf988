import { readConfig } from '#platform';
import {
  createTestDatabase,
  startOpenCloud,
  startOwnCloud,
  type FakePartner,
  type TestDatabase,
} from '../../../../libs/testing/src';
import { parseCommandLine } from '../command-line';
import type { Instance } from '../instance';

const config = readConfig({
  PUBLIC_URL: 'https://share.example.org',
  FEDERATION_ALLOW_HTTP: 'true',
  FEDERATION_ALLOW_ADDRESSES: '127.0.0.0/8',
});

describe('a pinned partner', () => {
  let test: TestDatabase;
  let ownCloud: FakePartner;
  let openCloud: FakePartner;
  beforeAll(async () => {
    [test, ownCloud, openCloud] = await Promise.all([
      createTestDatabase(),
      startOwnCloud(),
      startOpenCloud(),
    ]);
  });
  afterAll(async () => {
    await Promise.all([ownCloud.close(), openCloud.close()]);
    await test.drop();
  });

  async function run(...words: string[]): Promise<Record<string, unknown>> {
    const { command, input } = parseCommandLine(['peer', ...words])!;
    const output = await command.run(input, {
      config,
      open: async () => test.database,
    } as unknown as Instance);
    if (output.kind === 'rows') throw new Error('rows');
    return output.record;
  }
  const hostOf = ({ url }: FakePartner): string => new URL(url).host;
  const stored = (host: string): Promise<Record<string, unknown>[]> =>
    test.database.dataSource.query('SELECT profile, pinned_profile FROM peer WHERE host_key = $1', [host]);

  it('is used with the given dialects, in their order', async () => {
    const host = hostOf(ownCloud);
    expect(await run('pin', host, 'legacy', 'ocm-webdav')).toEqual({
      host,
      dialects: ['legacy', 'ocm-webdav'],
    });
    const [{ pinned_profile: profile }] = (await stored(host)) as [Record<string, unknown>];
    expect(profile).toMatchObject({
      baseUrl: ownCloud.url,
      product: 'owncloud10',
      dialects: ['legacy', 'ocm-webdav'],
      provenDialect: null,
    });
    expect(await run('show', host)).toMatchObject({ host, pinnedDialects: ['legacy', 'ocm-webdav'] });
  });

  it('is pinned by its discovered profile, without a request to it', async () => {
    const host = hostOf(ownCloud);
    await test.database.dataSource.query(
      'UPDATE peer SET profile = pinned_profile, pinned_profile = NULL WHERE host_key = $1',
      [host],
    );
    const asked = ownCloud.seen('GET').length;
    await run('pin', host, 'legacy');
    expect(ownCloud.seen('GET')).toHaveLength(asked);
    expect(await run('show', host)).toMatchObject({ pinnedDialects: ['legacy'] });
  });

  it('can be unpinned, once', async () => {
    const host = hostOf(ownCloud);
    expect(await run('unpin', host)).toEqual({ host });
    expect(await run('show', host)).toMatchObject({ pinnedDialects: null, pinnedProfile: null });
    await expect(run('unpin', host)).rejects.toThrow(`Nothing is pinned for ${host}.`);
  });

  it('shows its choices of signatures with their reasons', async () => {
    const host = hostOf(ownCloud);
    await run('pin', host, 'legacy');
    expect(await run('show', host)).toMatchObject({
      dialect: 'legacy: an operator pinned it',
      signedBy: 'cavage: it does not announce http-sig',
      unreadableSignatures: 'refused: the rule',
    });
    await run('signatures', host, '--sign', 'none');
    expect(await run('signatures', host, '--unreadable', 'ignore')).toEqual({
      host,
      signBy: 'none',
      ignoresUnreadable: true,
    });
    expect(await run('show', host)).toMatchObject({
      signedBy: 'none: an operator chose so',
      unreadableSignatures: 'ignored: an operator chose so',
    });
    const audited = await test.database.dataSource.query(
      `SELECT detail FROM audit_event WHERE action = 'partner.signatures' AND object_id = $1 ORDER BY id`,
      [host],
    );
    expect(audited).toMatchObject([{ detail: { signBy: 'none' } }, { detail: { ignoresUnreadable: true } }]);
    await run('signatures', host, '--sign', 'default', '--unreadable', 'refuse');
    expect(await run('show', host)).toMatchObject({ signedBy: 'cavage: it does not announce http-sig' });
    await run('unpin', host);
    await expect(run('signatures', 'nobody.example', '--sign', 'none')).rejects.toThrow(
      'There is no partner',
    );
  });

  it('has an address for each dialect, and counts as a partner', async () => {
    const host = hostOf(openCloud);
    await expect(run('pin', host, 'legacy')).rejects.toThrow(`${host} has no address for legacy.`);
    expect(await stored(host)).toEqual([]);
    await expect(run('pin', '127.0.0.1:9', 'legacy')).rejects.toThrow(
      /^127\.0\.0\.1:9 is not a partner: not-listening/,
    );
  });

  it.each([
    [['pin', 'a.example']],
    [['pin', 'a.example', 'esperanto']],
    [['pin', 'a.example', 'legacy', 'legacy']],
    [['pin', 'no host', 'legacy']],
    [['unpin', 'a.example', 'legacy']],
    [['signatures', 'a.example']],
    [['signatures', 'a.example', '--sign', 'sealing-wax']],
    [['signatures', 'a.example', '--unreadable', 'perhaps']],
  ])('is refused for %j', async (words) => {
    await expect((async () => run(...words))()).rejects.toThrow(/Usage|DIALECT|HOST|--/);
  });
});
