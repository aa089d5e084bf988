import { actingFor } from '#platform';
import { settingDefinition } from '#sharing';
import { AuditStage } from '../../../../testing/src/rigs/audit-stage';
import { createTestDatabase } from '../../../../testing/src/rigs/test-database';
import { AccountRepository } from '../accounts/account.repository';
import { AuditLogRepository, type AuditFilter } from './audit-log.repository';
import { AuditRepository } from './audit.repository';
import { GroupRepository } from '../accounts/group.repository';
import { PeerRepository } from '../partners/peer.repository';
import { SettingRepository } from '../operation/setting.repository';

let stage: AuditStage;

beforeAll(async () => {
  stage = await AuditStage.open();
});
afterAll(() => stage.test.drop());
beforeEach(() => stage.begin());

const account = (uid: string) => ({
  uid,
  displayName: uid,
  email: null,
  passwordHash: 'canary-hash',
  groups: [],
});

describe('a decision', () => {
  it('is recorded with its actor, its address and its request', async () => {
    await stage.asAdministrator(() => new AccountRepository(stage.test.database).insert(account('dora')));
    expect(await stage.recorded()).toEqual([
      {
        id: expect.any(Number) as number,
        at: expect.any(Date) as Date,
        actorKind: 'user',
        actor: 'root',
        action: 'account.create',
        objectType: 'account',
        objectId: 'dora',
        outcome: 'done',
        address: '192.0.2.7',
        requestId: 'request-1',
        attempts: 1,
        detail: {},
      },
    ]);
  });

  it('an entry without a known actor has the actor `system`', async () => {
    await new GroupRepository(stage.test.database).insert('staff');
    expect(await stage.recorded()).toMatchObject([
      { actorKind: 'system', actor: null, action: 'group.create', objectId: 'staff', address: null },
    ]);
  });

  it('does not pass its actor to the next one on the same connection', async () => {
    const alone = await createTestDatabase({ poolSize: 1 });
    const groups = new GroupRepository(alone.database);
    await stage.asAdministrator(() => groups.insert('one'));
    await groups.insert('two');
    const events = await new AuditLogRepository(alone.database).oldest({ objectType: 'group' }, 0, 10);
    await alone.drop();
    expect(events.map(({ actorKind }) => actorKind)).toEqual(['user', 'system']);
  });

  it('names a partner by its host if only its id is known', async () => {
    const peer = await new PeerRepository(stage.test.database).ensure('partner.example');
    await actingFor({ kind: 'partner', peerId: peer.id }, () =>
      stage.audit.record('spec.act', ['spec', '1'], {}),
    );
    expect(await stage.recorded()).toMatchObject([{ actorKind: 'partner', actor: 'partner.example' }]);
  });

  it('that changes nothing is not recorded, nor is a change by the passage of time', async () => {
    const settings = new SettingRepository(stage.test.database);
    await settings.set('core', 'shareapi_enabled', 'no');
    await settings.set('core', 'shareapi_enabled', 'no');
    await new AccountRepository(stage.test.database).touchLogin('dora');
    expect(await stage.recorded()).toMatchObject([
      {
        action: 'setting.change',
        objectId: 'core/shareapi_enabled',
        detail: { value: 'no' },
      },
    ]);
  });

  it('names the changed fields of an account, without secrets', async () => {
    await new AccountRepository(stage.test.database).update('dora', {
      passwordHash: 'canary-other',
      email: 'dora@example.org',
      quotaBytes: 5,
    });
    expect(await stage.recorded()).toMatchObject([
      { action: 'account.update', detail: { password: 'set', email: 'changed', quotaBytes: '5' } },
    ]);
    const [found] = await stage.query<{ found: boolean }>(
      `SELECT EXISTS (SELECT FROM audit_event e WHERE e::text LIKE '%canary%') AS found`,
    );
    expect(found).toEqual({ found: false });
  });

  it('about a group is one row for all its members', async () => {
    const groups = new GroupRepository(stage.test.database);
    await groups.addMember('staff', 'dora');
    await groups.remove('staff');
    expect((await stage.recorded()).map(({ action }) => action)).toEqual(['group.join', 'group.delete']);
  });

  it('is stored completely up to four KiB', async () => {
    await stage.audit.record('spec.long', ['spec', 'x'.repeat(2000)], { text: 'x'.repeat(5000) });
    const [event] = await stage.recorded();
    expect([event!.objectId!.length, event!.detail]).toEqual([512, { cut: true }]);
  });
});

describe('refused attempts', () => {
  /** Within one transaction the database's clock stands still, so all attempts are in the same minute. */
  const within = (work: (refuse: (reason: string) => Promise<void>) => Promise<void>): Promise<void> =>
    stage.test.database.transaction((transaction) => {
      const log = new AuditRepository(transaction);
      return work((reason) => log.recordRefusal('spec.try', ['spec', null], { reason }));
    });

  it('of one party at one object are one row that counts', async () => {
    await within((refuse) =>
      stage.asAdministrator(async () => {
        for (let attempt = 0; attempt < 25; attempt++) await refuse('no');
        await refuse('never');
      }),
    );
    const rows = await stage.recorded();
    expect(rows.map(({ detail, attempts, outcome }) => [detail.reason, attempts, outcome])).toEqual([
      ['no', 10, 'refused'],
      ['never', 1, 'refused'],
    ]);
  });

  it('of many strangers fill no table, and hide no known partner', async () => {
    const peer = await new PeerRepository(stage.test.database).ensure('partner.example');
    await within(async (refuse) => {
      for (let at = 0; at < 90; at++)
        await actingFor({ kind: 'partner', hostKey: `made-up-${at}.example` }, () => refuse('flood'), {
          id: '1',
          ip: `198.51.100.${at}`,
        });
      await actingFor({ kind: 'partner', peerId: peer.id }, () => refuse('known'));
    });
    const rows = await stage.recorded();
    expect(rows).toHaveLength(62);
    expect(rows.reduce((sum, { attempts }) => sum + attempts, 0)).toBe(91);
    expect(rows[0]).toMatchObject({ actor: null, detail: { claimed: 'made-up-0.example' } });
    expect(rows[60]).toMatchObject({ actor: null, address: null, attempts: 30, detail: { reason: 'many' } });
    expect(rows[61]).toMatchObject({ actor: 'partner.example', detail: { reason: 'known' } });
  });
});

describe('the audit log', () => {
  it('refuses changes and deletions of stored events', async () => {
    await stage.audit.record('spec.kept', ['spec', '1'], {});
    await expect(stage.query(`UPDATE audit_event SET actor = 'somebody else'`)).rejects.toThrow(
      'only added to',
    );
    await expect(stage.query(`UPDATE audit_event SET attempts = 2 WHERE window_key IS NULL`)).rejects.toThrow(
      'only added to',
    );
    await expect(stage.query('DELETE FROM audit_event')).rejects.toThrow('keeps its rows for 365 days');
    await expect(stage.query('TRUNCATE audit_event')).rejects.toThrow('only added to');
    expect(await stage.recorded()).toHaveLength(1);
  });

  it('has the default retention in the database without a stored setting', async () => {
    const [row] = await stage.query<{ days: number }>('SELECT audit_retention_days() AS days');
    expect(settingDefinition('system', 'audit_retention_days')?.fallback).toBe(String(row!.days));
  });

  it('removes events older than the setting, in batches', async () => {
    const aged = `INSERT INTO audit_event (at, actor_kind, action, object_type) SELECT now() - interval '31 days', 'system', 'spec.old', 'spec'
      FROM generate_series(1, 3)`;
    await stage.query(aged);
    expect(await stage.audit.forgetOld(10)).toBe(0);
    await new SettingRepository(stage.test.database).set('system', 'audit_retention_days', '30');
    expect([
      await stage.audit.forgetOld(2),
      await stage.audit.forgetOld(2),
      await stage.audit.forgetOld(2),
    ]).toEqual([2, 1, 0]);
    await new SettingRepository(stage.test.database).set('system', 'audit_retention_days', '0');
    await stage.query(aged);
    expect(await stage.audit.forgetOld(10)).toBe(0);
    await expect(stage.query(`DELETE FROM audit_event WHERE action = 'spec.old'`)).rejects.toThrow(
      'keeps its rows',
    );
    await new SettingRepository(stage.test.database).unset('system', 'audit_retention_days');
  });

  it('finds accounts in any letter case, also when they are gone, and other actors in their own', async () => {
    await new AccountRepository(stage.test.database).insert(account('Zora'));
    await actingFor({ kind: 'user', uid: 'Zora' }, () => stage.audit.record('spec.by', ['spec', 'Zora'], {}));
    await actingFor({ kind: 'system', name: 'Robot' }, () =>
      stage.audit.record('spec.by', ['spec', '1'], {}),
    );
    const actions = async (filter: AuditFilter) =>
      (await stage.log.newest(filter, null, 9)).map(({ action }) => action);
    for (const isGone of [false, true]) {
      if (isGone) await new AccountRepository(stage.test.database).remove('Zora');
      for (const objectType of [undefined, 'account'])
        expect(await actions({ objectType, objectId: 'ZORA' })).toContain('account.create');
      expect(await actions({ actor: 'zora' })).toEqual(['spec.by']);
    }
    expect(await actions({ objectType: 'spec', objectId: 'zora' })).toEqual([]);
    expect([await actions({ actor: 'robot' }), await actions({ actor: 'Robot' })]).toEqual([[], ['spec.by']]);
  });

  it('is read by filters, the latest first', async () => {
    for (const id of ['1', '2', '3']) await stage.audit.record('spec.read', ['spec', id], {});
    const ids = async (...asked: Parameters<AuditLogRepository['newest']>) =>
      (await stage.log.newest(...asked)).map(({ objectId }) => objectId);
    const [newest] = await stage.log.newest({ action: 'spec.read' }, null, 1);
    expect(await ids({ action: 'spec.read' }, null, 2)).toEqual(['3', '2']);
    expect(await ids({ action: 'spec.read' }, newest!.id, 5)).toEqual(['2', '1']);
    expect(await ids({ action: 'spec.read', objectId: '1' }, null, 5)).toEqual(['1']);
    expect(await ids({ action: 'spec.read', actorKind: 'user' }, null, 5)).toEqual([]);
    expect(await ids({ action: 'spec.read', until: new Date(0) }, null, 5)).toEqual([]);
  });
});
