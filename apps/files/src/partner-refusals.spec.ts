import { CachedPolicy, RuntimeSettings } from '#settings';
import { LEGACY, OCM, WAYS_IN, type KeptShare } from '../../../libs/testing/src/partners/reading-partner';
import { sharedFolderStage } from '../../../libs/testing/src/rigs/shared-folder-stage';
import { countStatements } from '../../../libs/testing/src/rigs/statement-count';

const stage = sharedFolderStage();
beforeEach(() => stage.sql('TRUNCATE throttle, call_budget'));

const set = (app: string, key: string, value: string): Promise<void> =>
  stage.files.get(RuntimeSettings).set(app, key, value);

/** The question of deployed servers whether the share of an unavailable content still exists. */
const existence = (secret: string): Promise<Response> =>
  fetch(`${stage.files.url}/index.php/apps/files_sharing/shareinfo?t=${secret}`, {
    method: 'POST',
    body: new URLSearchParams({ password: '', depth: '0' }),
  });

type Change = (secret: KeptShare) => Promise<unknown>;
const update = (assignment: string) => (secret: KeptShare) =>
  stage.sql(`UPDATE share SET ${assignment} WHERE id = $1`, [secret.id]);

describe('a share that has ended answers 401', () => {
  const ends: [string, Change][] = [
    ['deleted', ({ id }) => stage.sql('DELETE FROM share WHERE id = $1', [id])],
    ['expired', update('expires_on = current_date - 1')],
    ['being revoked', update(`delivery_state = 'revoking'`)],
    ['revoked', update(`delivery_state = 'revoked'`)],
    ['refused', update(`delivery_state = 'refused'`)],
    ['without its node', () => stage.files.dav('DELETE', stage.alice, '/folder')],
    ['without its owner', () => stage.sql('DELETE FROM user_account WHERE uid = $1', [stage.alice])],
  ];

  it.each(ends)('%s', async (_why, end) => {
    const secret = await stage.shareFolder();
    for (const way of WAYS_IN) expect(await stage.partner.rootStatus(way, secret)).toBe(207);
    expect((await existence(secret.token)).status).toBe(200);
    await end(secret);
    expect((await existence(secret.token)).status).toBe(404);
    for (const way of WAYS_IN) {
      const reply = await stage.partner.propfind(way, secret);
      expect(reply.status).toBe(401);
      expect(await reply.text()).toContain('NotAuthenticated');
      expect(await stage.partner.statusOf(way, secret, 'PUT', '/new.txt', { body: 'x' })).toBe(401);
    }
  });
});

describe('a temporarily withheld share answers 503 with the time to try again', () => {
  const settings: [string, string, string, string][] = [
    ['in maintenance', 'system', 'maintenance', 'yes'],
    ['without sharing', 'core', 'shareapi_enabled', 'no'],
    ['while nothing may leave', 'files_sharing', 'outgoing_server2server_share_enabled', 'no'],
    ['to a denied partner', 'federatedfilesharing', 'denied_hosts', '["cloud.partner.example"]'],
    ['to a partner that is not allowed', 'federatedfilesharing', 'allowed_hosts', '["other.example"]'],
  ];

  async function expectWithheld(secret: KeptShare, ways = WAYS_IN): Promise<void> {
    for (const way of ways) {
      const write = stage.partner.ask(way, secret, 'PUT', '/new.txt', { body: 'x' });
      for (const reply of await Promise.all([stage.partner.propfind(way, secret), write])) {
        expect(reply.status).toBe(503);
        expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
        expect(await reply.text()).toContain('<s:exception>Sabre\\DAV\\Exception\\ServiceUnavailable<');
      }
    }
    expect((await existence(secret.token)).status).toBe(503);
  }

  it.each(settings)('%s', async (_why, app, key, value) => {
    const secret = await stage.shareFolder();
    try {
      await set(app, key, value);
      await expectWithheld(secret);
    } finally {
      await stage.files.get(RuntimeSettings).unset(app, key);
      stage.files.get(CachedPolicy).changed('setting');
    }
    expect(await stage.partner.rootStatus(OCM, secret)).toBe(207);
  });

  it('of a disabled owner and initiator', async () => {
    const secret = await stage.shareFolder();
    await stage.sql('UPDATE user_account SET enabled = false WHERE uid = $1', [stage.alice]);
    await expectWithheld(secret);
    await stage.sql('UPDATE user_account SET enabled = true WHERE uid = $1', [stage.alice]);
    expect(await stage.partner.rootStatus(OCM, secret)).toBe(207);
  });

  it('content of a share whose initiator may not share is refused', async () => {
    const secret = await stage.shareFolder();
    await stage.files.addGroup('barred', stage.alice);
    try {
      await set('core', 'shareapi_exclude_groups', 'yes');
      await set('core', 'shareapi_exclude_groups_list', JSON.stringify(['barred']));
      await expectWithheld(secret);
    } finally {
      await stage.files.get(RuntimeSettings).unset('core', 'shareapi_exclude_groups');
      stage.files.get(CachedPolicy).changed('setting');
    }
  });

  it('of a reshare, while its owner is disabled', async () => {
    const { files, alice, brian } = stage;
    await files.share({ path: '/folder', owner: alice, recipient: brian });
    await files.dav('PROPFIND', brian, '/');
    const secret = await files.federatedShare({ path: '/folder', owner: alice, initiator: brian });
    expect(await stage.partner.rootStatus(OCM, secret)).toBe(207);
    await stage.sql('UPDATE user_account SET enabled = false WHERE uid = $1', [alice]);
    await expectWithheld(secret);
  });

  it('while the database is unreachable', async () => {
    const secret = await stage.shareFolder();
    expect(await stage.partner.rootStatus(OCM, secret)).toBe(207);
    const letIn = await stage.files.cutDatabaseOff();
    try {
      await expectWithheld(secret, [LEGACY]);
    } finally {
      await letIn();
    }
    expect(await stage.partner.rootStatus(OCM, secret)).toBe(207);
  });
});

// This test comes last, because the app then refuses this address for a minute.
describe('unknown secrets', () => {
  it('unknown secrets are answered 401, then 429, while known secrets still work', async () => {
    const fresh = await stage.files.federatedShare({
      path: '/folder',
      owner: stage.alice,
      recipient: 'bob@other.example',
    });
    const statuses: number[] = [];
    let statements = 0;
    // A guess is regained every fifth of a second, so a slow machine makes more of them until one is refused without
    // being counted again: by one statement, which remains the look-up of the secret.
    for (let guess = 0; guess < 3000 && !(statuses.at(-1) === 503 && statements === 1); guess++) {
      const way = WAYS_IN[guess % WAYS_IN.length]!;
      statements = await countStatements(stage.files.appDatabase, async () => {
        const reply = await stage.partner.propfind(way, { id: fresh.id, token: `guess${guess}` });
        statuses.push(reply.status);
        if (reply.status === 503) expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
      });
    }
    expect(statuses.slice(0, 294)).toEqual(Array(294).fill(401));
    expect([statuses.at(-1), statements]).toEqual([503, 1]);
    expect(await stage.partner.rootStatus(OCM, fresh)).toBe(207);
    expect((await stage.files.dav('PROPFIND', stage.alice, '/')).status).toBe(207);
  });
});
