import { CachedPolicy, RuntimeSettings } from '#settings';
import { FilesApp } from '../../../libs/testing/src/files-app';
import {
  LEGACY,
  OCM,
  ReadingPartner,
  WAYS_IN,
  type KeptShare,
} from '../../../libs/testing/src/reading-partner';
import { countStatements } from '../../../libs/testing/src/statement-count';

let files: FilesApp;
let partner: ReadingPartner;
let run = 0;
let alice: string;
let brian: string;

beforeAll(async () => {
  files = await FilesApp.start();
  partner = new ReadingPartner(files.url);
});
afterAll(() => files.stop());
beforeEach(async () => {
  run++;
  [alice, brian] = [`alice${run}`, `brian${run}`];
  await files.addUsers(alice, brian);
  await files.dav('MKCOL', alice, '/folder');
  await files.dav('PUT', alice, '/folder/file.txt', { body: 'of alice' });
  await sql('TRUNCATE throttle, call_budget');
});

const sql = <Row>(text: string, values: unknown[] = []): Promise<Row[]> =>
  files.database.dataSource.query<Row[]>(text, values);
const set = (app: string, key: string, value: string): Promise<void> =>
  files.get(RuntimeSettings).set(app, key, value);
const shareFolder = (permissions = 31) =>
  files.federatedShare({ path: '/folder', owner: alice, permissions });

type Change = (secret: KeptShare) => Promise<unknown>;
const update = (assignment: string) => (secret: KeptShare) =>
  sql(`UPDATE share SET ${assignment} WHERE id = $1`, [secret.id]);

describe('a share that has ended answers 401', () => {
  const ends: [string, Change][] = [
    ['deleted', ({ id }) => sql('DELETE FROM share WHERE id = $1', [id])],
    ['expired', update('expires_on = current_date - 1')],
    ['being revoked', update(`delivery_state = 'revoking'`)],
    ['revoked', update(`delivery_state = 'revoked'`)],
    ['refused', update(`delivery_state = 'refused'`)],
    ['without its node', () => files.dav('DELETE', alice, '/folder')],
    ['without its owner', () => sql('DELETE FROM user_account WHERE uid = $1', [alice])],
  ];

  it.each(ends)('%s', async (_why, end) => {
    const secret = await shareFolder();
    for (const way of WAYS_IN) expect(await partner.rootStatus(way, secret)).toBe(207);
    await end(secret);
    for (const way of WAYS_IN) {
      const reply = await partner.propfind(way, secret);
      expect(reply.status).toBe(401);
      expect(await reply.text()).toContain('NotAuthenticated');
      expect(await partner.statusOf(way, secret, 'PUT', '/new.txt', { body: 'x' })).toBe(401);
    }
  });
});

describe('a share that is withheld for the moment answers 503 and when to come again', () => {
  const settings: [string, string, string, string][] = [
    ['in maintenance', 'system', 'maintenance', 'yes'],
    ['without sharing', 'core', 'shareapi_enabled', 'no'],
    ['while nothing may leave', 'files_sharing', 'outgoing_server2server_share_enabled', 'no'],
    ['to a denied partner', 'federatedfilesharing', 'denied_hosts', '["cloud.partner.example"]'],
    ['to a partner that is not allowed', 'federatedfilesharing', 'allowed_hosts', '["other.example"]'],
  ];

  async function expectWithheld(secret: KeptShare, ways = WAYS_IN): Promise<void> {
    for (const way of ways) {
      const write = partner.ask(way, secret, 'PUT', '/new.txt', { body: 'x' });
      for (const reply of await Promise.all([partner.propfind(way, secret), write])) {
        expect(reply.status).toBe(503);
        expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
        expect(await reply.text()).toContain('<s:exception>Sabre\\DAV\\Exception\\ServiceUnavailable<');
      }
    }
  }

  it.each(settings)('%s', async (_why, app, key, value) => {
    const secret = await shareFolder();
    try {
      await set(app, key, value);
      await expectWithheld(secret);
    } finally {
      await files.get(RuntimeSettings).unset(app, key);
      files.get(CachedPolicy).changed('setting');
    }
    expect(await partner.rootStatus(OCM, secret)).toBe(207);
  });

  it('of a disabled owner and initiator', async () => {
    const secret = await shareFolder();
    await sql('UPDATE user_account SET enabled = false WHERE uid = $1', [alice]);
    await expectWithheld(secret);
    await sql('UPDATE user_account SET enabled = true WHERE uid = $1', [alice]);
    expect(await partner.rootStatus(OCM, secret)).toBe(207);
  });

  it('of an initiator who may not share', async () => {
    const secret = await shareFolder();
    await files.addGroup(`barred${run}`, alice);
    try {
      await set('core', 'shareapi_exclude_groups', 'yes');
      await set('core', 'shareapi_exclude_groups_list', JSON.stringify([`barred${run}`]));
      await expectWithheld(secret);
    } finally {
      await files.get(RuntimeSettings).unset('core', 'shareapi_exclude_groups');
      files.get(CachedPolicy).changed('setting');
    }
  });

  it('passed on by somebody who lost the share, or whose owner is disabled', async () => {
    const received = await files.share({ path: '/folder', owner: alice, recipient: brian });
    await files.dav('PROPFIND', brian, '/');
    const secret = await files.federatedShare({ path: '/folder', owner: alice, initiator: brian });
    expect(await partner.rootStatus(OCM, secret)).toBe(207);
    for (const [change, undo] of [
      ['UPDATE share SET permissions = 1 WHERE id = $1', 'UPDATE share SET permissions = 31 WHERE id = $1'],
      [
        'UPDATE share_recipient SET state = 2 WHERE share_id = $1',
        'UPDATE share_recipient SET state = 0 WHERE share_id = $1',
      ],
    ] as const) {
      await sql(change, [received]);
      await expectWithheld(secret);
      await sql(undo, [received]);
      expect(await partner.rootStatus(OCM, secret)).toBe(207);
    }
    await sql('UPDATE user_account SET enabled = false WHERE uid = $1', [alice]);
    await expectWithheld(secret);
  });

  it('while the database is away', async () => {
    const secret = await shareFolder();
    expect(await partner.rootStatus(OCM, secret)).toBe(207);
    const letIn = await files.cutDatabaseOff();
    try {
      await expectWithheld(secret, [LEGACY]);
    } finally {
      await letIn();
    }
    expect(await partner.rootStatus(OCM, secret)).toBe(207);
  });
});

// Last: the app does not listen to this address for a minute afterwards.
describe('unknown secrets', () => {
  it('are told so for a while, then to wait; whoever knows a secret is heard all the same', async () => {
    const fresh = await files.federatedShare({
      path: '/folder',
      owner: alice,
      recipient: 'bob@other.example',
    });
    const statuses: number[] = [];
    for (let guess = 0; guess < 310; guess++) {
      const way = WAYS_IN[guess % WAYS_IN.length]!;
      statuses.push(await partner.rootStatus(way, { id: fresh.id, token: `guess${guess}` }));
    }
    expect(statuses.slice(0, 294)).toEqual(Array(294).fill(401));
    expect(statuses.at(-1)).toBe(503);
    const guessing = () => partner.propfind(OCM, { id: 1, token: 'anything' });
    const refused = await guessing();
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await countStatements(files.appDatabase, guessing)).toBe(1);
    expect(await partner.rootStatus(OCM, fresh)).toBe(207);
    expect((await files.dav('PROPFIND', alice, '/')).status).toBe(207);
  });
});
