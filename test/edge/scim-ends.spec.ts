import { accountEndsOn } from '#identity';
import { ScimWorld } from './scim-world';

let world: ScimWorld;
let ask: ScimWorld['ask'];
let make: ScimWorld['make'];
let one: ScimWorld['one'];

beforeAll(async () => {
  world = await ScimWorld.open('entra');
  ({ ask, make, one } = world);
});
afterAll(() => world?.close());

describe('a user that a client deletes', () => {
  it('is disabled when deleted, ends after its grace time, and can return until then', async () => {
    const { body } = await make('leaver');
    expect((await ask('DELETE', `/Users/${body.id}`)).status).toBe(204);
    expect((await ask('GET', `/Users/${body.id}`)).status).toBe(404);
    expect((await ask('DELETE', `/Users/${body.id}`)).status).toBe(404);
    expect(await one(`SELECT enabled FROM user_account WHERE uid = 'leaver'`)).toBe(false);
    expect(await one(`SELECT count(*) FROM account_end WHERE uid = 'leaver'`)).toBe(1);
    const again = await make('leaver', { displayName: 'Back again' });
    expect(again.status).toBe(201);
    expect(again.body).toMatchObject({ active: true, displayName: 'Back again' });
    expect(again.body.id).toBe(body.id);
    expect(await one(`SELECT count(*) FROM account_end WHERE uid = 'leaver'`)).toBe(0);
  });

  it('keeps an end that an operator requested, and can return after an operator undid its end', async () => {
    const ends = accountEndsOn(world.test.database);
    const { body } = await make('undone');
    await ask('DELETE', `/Users/${body.id}`);
    await ends.undo('undone');
    const again = await make('undone', { displayName: 'Undone' });
    expect([again.status, again.body]).toMatchObject([201, { id: body.id, displayName: 'Undone' }]);
    expect((await make('undone')).status).toBe(409);
    await ask('DELETE', `/Users/${body.id}`);
    await ends.undo('undone');
    await ends.request('undone', { graceDays: 5 });
    expect((await make('undone')).status).toBe(409);
    await ends.undo('undone');
    expect((await make('undone')).status).toBe(201);
    await ends.request('undone', { graceDays: 5 });
    await ask('DELETE', `/Users/${body.id}`);
    expect((await make('undone')).status).toBe(409);
    expect(await one(`SELECT enabled FROM user_account WHERE uid = 'undone'`)).toBe(false);
    expect(await one(`SELECT count(*) FROM account_end WHERE uid = 'undone'`)).toBe(1);
  });

  it('stays if its account gets the files of another one that is ending', async () => {
    const ends = accountEndsOn(world.test.database);
    const [heir] = [await make('heir'), await make('giver')];
    await ends.request('giver', { transferTo: 'heir', graceDays: 5 });
    expect(await ask('DELETE', `/Users/${heir.body.id}`)).toMatchObject({ status: 409 });
    expect((await ask('GET', `/Users/${heir.body.id}`)).body).toEqual(heir.body);
    await ends.undo('giver');
    expect((await ask('DELETE', `/Users/${heir.body.id}`)).status).toBe(204);
  });

  it('is unchanged if the end cannot be noted as that of the client', async () => {
    const query = (sql: string) => world.test.database.dataSource.query(sql);
    const { body } = await make('unnoted');
    await query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
      CREATE TRIGGER refused BEFORE UPDATE OF gone_at ON external_identity FOR EACH ROW EXECUTE FUNCTION refuse()`);
    expect((await ask('DELETE', `/Users/${body.id}`)).status).toBe(500);
    await query('DROP FUNCTION refuse CASCADE');
    expect(await one(`SELECT enabled FROM user_account WHERE uid = 'unnoted'`)).toBe(true);
    expect(await one(`SELECT count(*) FROM account_end WHERE uid = 'unnoted'`)).toBe(0);
    expect((await ask('DELETE', `/Users/${body.id}`)).status).toBe(204);
    expect((await make('unnoted')).status).toBe(201);
  });
});
