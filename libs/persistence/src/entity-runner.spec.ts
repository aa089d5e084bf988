import { actingFor } from '#platform';
import { AuditStage } from '../../testing/src/rigs/audit-stage';
import { countAllStatements } from '../../testing/src/rigs/statement-count';
import { violates } from './database';
import { UserAccountEntity } from './entities/accounts/user-account.entity';
import { UserGroupEntity } from './entities/accounts/user-group.entity';
import { SettingEntity } from './entities/operation/setting.entity';
import { text } from './postgres-types';
import { statement } from './statement';

const BACKEND = statement({
  name: 'spec.acting_backend',
  row: { backend: text, acting: text },
  sql: `SELECT pg_backend_pid()::text AS backend, coalesce(current_setting('drawbridge.acting', true), '') AS acting`,
});

let stage: AuditStage;

beforeAll(async () => {
  stage = await AuditStage.open();
});
afterAll(() => stage.test.drop());
beforeEach(() => stage.begin());

const actions = async (): Promise<unknown[]> =>
  (await stage.recorded()).map(({ actorKind, actor, action, objectId }) => [
    actorKind,
    actor,
    action,
    objectId,
  ]);

describe('a write by the repository of an entity', () => {
  it('is recorded with its actor', async () => {
    const { database } = stage.test;
    await stage.asAdministrator(async () => {
      await database.write(UserGroupEntity, (groups) => groups.insert({ gid: 'staff' }));
      await database.write(UserGroupEntity, (groups) => groups.delete({ gid: 'staff' }));
    });
    await database.write(UserGroupEntity, (groups) => groups.insert({ gid: 'nobody-known' }));
    expect(await actions()).toEqual([
      ['user', 'root', 'group.create', 'staff'],
      ['user', 'root', 'group.delete', 'staff'],
      ['system', null, 'group.create', 'nobody-known'],
    ]);
  });

  it('costs one statement, and one for the actor', async () => {
    const { database } = stage.test;
    const write = (): Promise<unknown> =>
      database.write(SettingEntity, (settings) =>
        settings.upsert({ app: 'spec', key: 'k', value: 'v' }, ['app', 'key']),
      );
    expect(await countAllStatements(database, write)).toBe(1);
  });

  it('is refused outside of a transaction, because the actor would be missing', async () => {
    const groups = stage.test.database.reader(UserGroupEntity);
    const writes = [
      () => groups.insert({ gid: 'silent' }),
      () => groups.upsert({ gid: 'silent' }, ['gid']),
      () => groups.save({ gid: 'silent' }),
      () => groups.update({ gid: 'staff' }, { gid: 'silent' }),
      () => groups.delete({ gid: 'staff' }),
      () => groups.createQueryBuilder().delete().where({ gid: 'staff' }).execute(),
    ];
    for (const write of writes) await expect(write()).rejects.toThrow('Database.write');
    expect(await groups.existsBy({ gid: 'silent' })).toBe(false);
  });

  it('is refused if a value of its condition is missing, because it would match every row', async () => {
    const { database } = stage.test;
    await database.write(UserGroupEntity, (groups) => groups.insert({ gid: 'kept' }));
    const gid = undefined as unknown as string;
    const writes = [
      database.write(UserGroupEntity, (groups) => groups.delete({ gid })),
      database.write(UserAccountEntity, (accounts) => accounts.update({ uid: gid }, { enabled: false })),
    ];
    for (const write of writes) await expect(write).rejects.toThrow('Undefined value');
    expect(await database.reader(UserGroupEntity).existsBy({ gid: 'kept' })).toBe(true);
  });

  it('shares the connection and the rollback of its transaction, and leaves no actor behind', async () => {
    const { database } = stage.test;
    let first: { backend: string; acting: string } | undefined;
    const undone = actingFor({ kind: 'operator' }, () =>
      database.transaction(async (transaction) => {
        const groups = await transaction.repository(UserGroupEntity);
        await groups.insert({ gid: 'undone' });
        [first] = await transaction.rows(BACKEND);
        const [{ backend }] = await groups.query<[{ backend: string }]>(
          'SELECT pg_backend_pid()::text AS backend',
        );
        expect(backend).toBe(first!.backend);
        throw new Error('thought better of it');
      }),
    );
    await expect(undone).rejects.toThrow('thought better of it');
    expect(first!.acting).toContain('operator');
    expect(await database.reader(UserGroupEntity).existsBy({ gid: 'undone' })).toBe(false);
    for (let connections = 0; connections < 5; connections++)
      expect((await database.rows(BACKEND))[0]!.acting).toBe('');
  });

  it('that fails gives the error of the driver, without its parameters', async () => {
    const { database } = stage.test;
    const account = { uid: 'dora', displayName: 'Dora', passwordHash: 'canary-hash' };
    const insert = (): Promise<unknown> =>
      database.write(UserAccountEntity, (accounts) => accounts.insert(account));
    await insert();
    const failure = await insert().catch((error: unknown) => error);
    expect(violates(failure, 'user_account_pkey') || violates(failure, 'user_account_uid_folded')).toBe(true);
    expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain('canary');
  });
});
