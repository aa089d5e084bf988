import { administrationOn } from '#identity';
import { GROUP, ScimWorld, USER } from './scim-world';

const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';

let world: ScimWorld;
let ask: ScimWorld['ask'];
let make: ScimWorld['make'];
let patch: ScimWorld['patch'];
let one: ScimWorld['one'];

beforeAll(async () => {
  world = await ScimWorld.open('entra');
  ({ ask, make, patch, one } = world);
});
afterAll(() => world?.close());

describe('the service', () => {
  it('describes itself, with its media type', async () => {
    const config = await ask('GET', '/ServiceProviderConfig');
    expect(config.headers.get('content-type')).toBe('application/scim+json; charset=utf-8');
    expect(config.body).toMatchObject({ patch: { supported: true }, etag: { supported: true } });
    expect((await ask('GET', '/ResourceTypes')).body).toMatchObject({ totalResults: 2 });
    expect((await ask('GET', `/Schemas/${USER}`)).body).toMatchObject({ id: USER, name: 'User' });
    expect((await ask('GET', '/Schemas/urn:none')).status).toBe(404);
    expect((await ask('GET', '/Schemas?filter=id%20pr')).status).toBe(403);
  });

  it('needs its own kind of token, which is shown once and can be revoked', async () => {
    for (const authorization of [
      '',
      'Bearer wrong',
      world.gateway.adminAuth,
      `Bearer scim_${'a'.repeat(43)}`,
    ]) {
      const refused = await ask('GET', '/Users', undefined, { authorization });
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
      expect(refused.body).toMatchObject({ schemas: [ERROR], status: '401' });
    }
    const other = (await world.clients.create('other'))!;
    const asOther = { authorization: `Bearer ${other}` };
    expect((await ask('GET', '/Users', undefined, asOther)).status).toBe(200);
    expect(await world.clients.create('other')).toBeUndefined();
    expect(await world.clients.revoke('other')).toBe(true);
    expect((await ask('GET', '/Users', undefined, asOther)).status).toBe(401);
    expect(JSON.stringify(await world.clients.list())).not.toContain(other);
    expect(await one(`SELECT count(*) FROM scim_client c WHERE c::text LIKE '%' || $1 || '%'`, other)).toBe(
      0,
    );
  });
});

describe('a user', () => {
  it('is created, read, changed in parts, replaced, and has a version', async () => {
    const made = await make('bjensen@example.com', {
      externalId: 'e-1',
      name: { givenName: 'Barbara', familyName: 'Jensen' },
      emails: [{ value: 'b@home.example' }, { value: 'b@example.com', primary: true }],
    });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      ...{
        schemas: [USER],
        externalId: 'e-1',
        userName: 'bjensen@example.com',
        displayName: 'Barbara Jensen',
      },
      ...{ active: true, emails: [{ value: 'b@example.com', type: 'work', primary: true }] },
    });
    const path = `/Users/${made.body.id}`;
    expect(made.headers.get('location')).toBe(`${world.gateway.url}/scim/v2${path}`);
    const version = made.headers.get('etag')!;
    expect((await ask('GET', path, undefined, { 'if-none-match': version })).status).toBe(304);
    const off = await patch(path, { op: 'Replace', path: 'active', value: 'False' });
    expect(off.body).toMatchObject({ active: false, userName: 'bjensen@example.com' });
    expect(await one(`SELECT enabled FROM user_account WHERE uid = 'bjensen@example.com'`)).toBe(false);
    const stale = { schemas: [USER], userName: 'babs' };
    expect((await ask('PUT', path, stale, { 'if-match': version })).status).toBe(412);
    const replaced = await ask('PUT', path, { ...stale, active: true });
    expect(replaced.body).toMatchObject({
      userName: 'babs',
      active: true,
      displayName: 'bjensen@example.com',
    });
    expect(replaced.body.emails).toBeUndefined();
    expect((await ask('GET', `${path}?attributes=userName`)).body).toEqual({
      ...{ schemas: [USER], id: made.body.id, userName: 'babs', meta: replaced.body.meta },
    });
  });

  it('of another source is neither changed nor shown', async () => {
    const { users } = administrationOn(world.test.database, { COMPATIBILITY: 'documented' });
    await users.create({ uid: 'local', password: 'a password of the specs' });
    const refused = await make('LOCAL');
    expect([refused.status, refused.body.scimType]).toEqual([409, 'uniqueness']);
    const filter = encodeURIComponent('userName eq "local"');
    expect((await ask('GET', `/Users?filter=${filter}`)).body.totalResults).toBe(0);
    const authorization = `Bearer ${await world.clients.create('second')}`;
    const { id } = (await make('mine-alone')).body;
    expect((await ask('GET', `/Users/${id}`, undefined, { authorization })).status).toBe(404);
    expect((await ask('DELETE', `/Users/${id}`, undefined, { authorization })).status).toBe(404);
  });

  it.each([
    ['no name', {}, 'invalidValue'],
    ['a name that no account can have', { userName: 'a/b/c' }, 'invalidValue'],
    ['no schema', { schemas: [], userName: 'nobody' }, 'invalidValue'],
    ['a long name', { userName: 'a'.repeat(300) }, 'invalidValue'],
    ['a character that cannot be stored', { userName: 'a\0b' }, 'invalidValue'],
    [
      'one in a part',
      { userName: 'nobody', displayName: 'X', name: { givenName: '\ud800' } },
      'invalidValue',
    ],
    ['another type', { userName: 'nobody', emails: 'x' }, 'invalidValue'],
  ])('is refused with %s', async (_name, body, scimType) => {
    const refused = await ask('POST', '/Users', { schemas: [USER], ...body });
    expect([refused.status, refused.body.scimType]).toEqual([400, scimType]);
  });

  it('is refused if the body is no JSON object, or too large', async () => {
    expect((await ask('POST', '/Users', '{')).body).toMatchObject({
      status: '400',
      scimType: 'invalidSyntax',
    });
    expect((await ask('POST', '/Users', '['.repeat(2000))).status).toBe(400);
    expect((await make('big', { title: 'a'.repeat(1_100_000) })).status).toBe(413);
  });

  it('is recorded with its client as the actor', async () => {
    await make('recorded');
    expect(
      await one(
        `SELECT actor_kind || ' ' || actor FROM audit_event WHERE action = 'account.create' AND object_id = 'recorded'`,
      ),
    ).toBe('system scim entra');
  });
});

describe('lists', () => {
  it('have pages, filters and chosen attributes', async () => {
    for (const number of [1, 2, 3]) await make(`paged-${number}`, { externalId: `x-${number}` });
    const find = async (filter: string, more = ''): Promise<string[]> => {
      const { body } = await ask('GET', `/Users?filter=${encodeURIComponent(filter)}${more}`);
      return body.Resources.map(({ userName }: { userName: string }) => userName);
    };
    expect(await find('userName eq "PAGED-2"')).toEqual(['paged-2']);
    expect(await find('externalId eq "x-3"')).toEqual(['paged-3']);
    expect(await find('userName sw "paged-" and active eq true')).toEqual(['paged-1', 'paged-2', 'paged-3']);
    expect(await find('userName sw "paged-"', '&startIndex=2&count=1')).toEqual(['paged-2']);
    const all = (await ask('GET', '/Users?count=2')).body;
    expect(all).toMatchObject({ startIndex: 1, itemsPerPage: 2 });
    expect(all.totalResults).toBeGreaterThan(2);
    expect((await ask('GET', '/Users?count=0')).body).toMatchObject({ itemsPerPage: 0, Resources: [] });
    const searched = await ask('POST', '/Users/.search', {
      filter: 'userName eq "paged-1"',
      attributes: ['userName'],
    });
    expect(searched.body.Resources[0]).not.toHaveProperty('displayName');
    const refused = await ask('GET', '/Users?filter=userName');
    expect([refused.status, refused.body.scimType]).toEqual([400, 'invalidFilter']);
  });
});

describe('a group', () => {
  it('is created with members, changed in parts, and removed', async () => {
    const [ann, ben] = [(await make('ann-of-scim')).body.id, (await make('ben-of-scim')).body.id];
    const made = await ask('POST', '/Groups', {
      ...{ schemas: [GROUP], displayName: 'Staff', externalId: 'g-1', members: [{ value: ann }] },
    });
    expect(made.status).toBe(201);
    expect(made.body.members).toMatchObject([{ value: ann, display: 'ann-of-scim', type: 'User' }]);
    const path = `/Groups/${made.body.id}`;
    const added = await patch(path, { op: 'Add', path: 'members', value: [{ value: ben }] });
    expect(added.body.members.map(({ value }: { value: string }) => value)).toEqual([ann, ben]);
    expect((await ask('GET', `/Users/${ben}`)).body.groups).toMatchObject([
      { display: 'Staff', type: 'direct' },
    ]);
    const removed = await patch(path, { op: 'remove', path: `members[value eq "${ann}"]` });
    expect(removed.body.members.map(({ value }: { value: string }) => value)).toEqual([ben]);
    expect((await ask('GET', `${path}?excludedAttributes=members`)).body.members).toBeUndefined();
    const renamed = await patch(path, { op: 'replace', value: { displayName: 'Crew' } });
    expect(renamed.body.displayName).toBe('Crew');
    expect((await ask('DELETE', path)).status).toBe(204);
    expect((await ask('GET', path)).status).toBe(404);
  });

  it('keeps every change of calls at the same time, and so do users', async () => {
    const users = await Promise.all(Array.from({ length: 8 }, (_, index) => make(`together-${index}`)));
    const ids: string[] = users.map(({ body }) => body.id);
    const { body: group } = await ask('POST', '/Groups', { schemas: [GROUP], displayName: 'together' });
    const path = `/Groups/${group.id}`;
    const add = (id: string) => patch(path, { op: 'add', path: 'members', value: [{ value: id }] });
    await Promise.all(ids.map(add));
    expect((await ask('GET', path)).body.members).toHaveLength(ids.length);
    const drop = (id: string) => patch(path, { op: 'remove', path: `members[value eq "${id}"]` });
    await Promise.all(ids.slice(1).map(drop));
    expect((await ask('GET', path)).body.members).toMatchObject([{ value: ids[0] }]);
    await Promise.all(
      ids.flatMap((id) => [
        patch(`/Users/${id}`, { op: 'replace', path: 'active', value: false }),
        patch(`/Users/${id}`, { op: 'replace', path: 'displayName', value: 'Renamed' }),
        patch(`/Users/${id}`, { op: 'replace', path: 'externalId', value: `at-${id}` }),
      ]),
    );
    for (const id of ids)
      expect((await ask('GET', `/Users/${id}`)).body).toMatchObject({
        ...{ active: false, displayName: 'Renamed', externalId: `at-${id}` },
      });
  });

  it('has the members of its client, and accepts none that the client does not know', async () => {
    const { groups, users } = administrationOn(world.test.database, { COMPATIBILITY: 'documented' });
    await users.create({ uid: 'guest', password: 'a password of the specs' });
    const made = await ask('POST', '/Groups', { schemas: [GROUP], displayName: 'Closed' });
    const refusal = { reason: 'managed-elsewhere' };
    await expect(groups.join('Closed', 'guest')).rejects.toMatchObject(refusal);
    const stranger = '00000000-0000-4000-8000-000000000000';
    const add = { op: 'add', path: 'members', value: [{ value: stranger }] };
    const refused = await patch(`/Groups/${made.body.id}`, add);
    expect([refused.status, refused.body.scimType]).toEqual([400, 'invalidValue']);
  });

  it('keeps a member that another source gives, too, when that one no longer does', async () => {
    const { sourceGroups } = administrationOn(world.test.database, { COMPATIBILITY: 'documented' });
    const other = {
      ...({ kind: 'ldap', source: 'directory', manages: [], takenNames: 'refuse' } as const),
      groupsOfSameName: 'merge',
    } as const;
    const { body: user } = await make('twice-given');
    const { body: group } = await ask('POST', '/Groups', { schemas: [GROUP], displayName: 'Merged' });
    expect(await sourceGroups.keep(other, { subject: 'merged', name: 'Merged' })).toBe('Merged');
    await sourceGroups.setMembersOf(other, 'Merged', ['twice-given']);
    const path = `/Groups/${group.id}`;
    expect((await ask('GET', path)).body.members).toMatchObject([{ value: user.id }]);
    expect((await patch(path, { op: 'add', path: 'members', value: [{ value: user.id }] })).status).toBe(200);
    await sourceGroups.setMembersOf(other, 'Merged', []);
    expect((await ask('GET', path)).body.members).toMatchObject([{ value: user.id }]);
    await patch(path, { op: 'remove', path: `members[value eq "${user.id}"]` });
    expect((await ask('GET', path)).body.members).toBeUndefined();
  });

  it('of administrators cannot be reached', async () => {
    const refused = await ask('POST', '/Groups', { schemas: [GROUP], displayName: 'admin' });
    expect([refused.status, refused.body.scimType]).toEqual([409, 'uniqueness']);
  });
});
