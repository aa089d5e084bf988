import { createTestDatabase, type TestDatabase } from '../../../../testing/src';
import { ContactRepository, type ContactNames } from './contact.repository';

let test: TestDatabase;
let contacts: ContactRepository;
/** `new.example.org`, which was renamed from `old.example.org`, and another host. */
let ids: { now: number; old: number; other: number };

beforeAll(async () => {
  test = await createTestDatabase();
  contacts = new ContactRepository(test.database);
});
afterAll(() => test.drop());
beforeEach(async () => {
  await test.empty('peer', 'user_account');
  await query(
    `INSERT INTO user_account (uid, display_name, password_hash) VALUES ('alice', 'Alice', 'x'), ('ann', 'Ann', 'x')`,
  );
  const enter = async (host: string, aliasOf: number | null = null): Promise<number> =>
    (
      await query('INSERT INTO peer (host_key, alias_of, trust) VALUES ($1, $2, $3) RETURNING id', [
        host,
        aliasOf,
        'invited',
      ])
    )[0]!.id;
  const now = await enter('new.example.org');
  ids = { now, old: await enter('old.example.org', now), other: await enter('other.example.org') };
});

const query = (text: string, values: unknown[] = []): Promise<{ id: number }[]> =>
  test.database.dataSource.query(text, values);

const named = (...users: string[]): ContactNames => ({ users, persons: users });
const keep = (
  peerId: number,
  displayName = 'Bob',
  remoteUser = 'bob',
  person = remoteUser,
): Promise<number> => {
  const names = { users: [remoteUser], persons: [remoteUser, person] };
  return contacts.keep(test.database, {
    uid: 'alice',
    peerId,
    remoteUser,
    person,
    names,
    displayName,
    email: '',
  });
};

it.each(['old', 'now'] as const)(
  'knows a contact under both names of a renamed partner: %s',
  async (name) => {
    await keep(ids[name]);
    for (const host of ['new.example.org', 'old.example.org'])
      expect(await contacts.standing('alice', host, named('bob'))).toEqual({
        trust: 'invited',
        outgoingTrust: null,
        isContact: true,
      });
    expect(await contacts.knowsOneOf('alice', ids.now, named('carol', 'bob'))).toBe(true);
  },
);

it('belongs to that user, that account and that partner only', async () => {
  await keep(ids.now);
  expect(await contacts.knowsOneOf('ann', ids.now, named('bob'))).toBe(false);
  expect(await contacts.knowsOneOf('alice', ids.now, named('Bob', 'bobby'))).toBe(false);
  expect(await contacts.knowsOneOf('alice', ids.other, named('bob'))).toBe(false);
  expect((await contacts.standing('alice', 'other.example.org', named('bob'))).isContact).toBe(false);
});

it('is not found at an unknown host', async () => {
  expect(await contacts.standing('alice', 'nowhere.example.org', named('bob'))).toEqual({
    trust: 'unknown',
    outgoingTrust: null,
    isContact: false,
  });
});

it('is stored once, under its current name', async () => {
  const id = await keep(ids.now);
  expect(await keep(ids.now, 'Robert')).toBe(id);
  expect(await contacts.list('alice', 0, 10)).toMatchObject([
    { id, displayName: 'Robert', hostKey: 'new.example.org' },
  ]);
  expect(await contacts.list('alice', id, 10)).toEqual([]);
  expect(await contacts.remove('ann', id)).toBe(false);
  expect(await contacts.remove('alice', id)).toBe(true);
});

it('is found by the account in an encoded user id, and is updated by another spelling of it', async () => {
  const id = await keep(ids.now, 'Alan', 'QUxBTg==', 'alan');
  const standing = (names: ContactNames) => contacts.standing('alice', 'new.example.org', names);
  expect(await standing({ users: ['alan'], persons: ['alan'] })).toMatchObject({ isContact: true });
  expect(await standing({ users: ['QUxBTg'], persons: ['QUxBTg', 'alan'] })).toMatchObject({
    isContact: true,
  });
  expect(await keep(ids.now, 'Alan Turing', 'QUxBTg', 'alan')).toBe(id);
  expect(await contacts.list('alice', 0, 10)).toMatchObject([{ id, remoteUser: 'QUxBTg' }]);
});

it('by a plain name is not found by an id that encodes this name', async () => {
  await keep(ids.now);
  const encoded = { users: ['Ym9iQGhvc3Q='], persons: ['Ym9iQGhvc3Q=', 'bob'] };
  expect(await contacts.knowsOneOf('alice', ids.now, encoded)).toBe(false);
});
