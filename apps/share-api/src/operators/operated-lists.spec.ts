import { administrationOn, appPasswordsOn } from '#identity';
import { InvitationRepository, NodeRepository, PeerRepository } from '#persistence';
import { readConfig, SecretBox } from '#platform';
import { CapabilityRegistry, settingsOn } from '#settings';
import { createTestDatabase, type TestDatabase } from '#testing';
import { OperatedLists } from './operated-lists';

let test: TestDatabase;
let lists: OperatedLists;
const secrets = new SecretBox(() => Buffer.alloc(32, 1));

beforeAll(async () => {
  test = await createTestDatabase();
  const config = readConfig({ DATABASE_URL: test.url });
  const { users } = administrationOn(test.database, config);
  await users.create({ uid: 'alice', password: 'a-password-of-alice' });
  const { settings } = settingsOn(test.database, config);
  lists = new OperatedLists(test.database, secrets, settings, {} as CapabilityRegistry, config);
});
afterAll(() => test.drop());

type Row = Readonly<Record<string, unknown>>;
/** All rows, read page by page as the pages do. */
async function readAll(name: string, uid = ''): Promise<Row[]> {
  const rows: Row[] = [];
  for (let after = ''; ;) {
    const page = (await lists.read(name, after, { uid, host: '', limit: 100 })) as Row[];
    rows.push(...page);
    if (page.length < 100) return rows;
    after = String(page.at(-1)!.id);
    expect(rows.length).toBeLessThan(1000);
  }
}

it('reads long lists page by page, each row once', async () => {
  const choice = { name: 'phone', scopes: ['files'], readOnly: false, expiresAt: null } as const;
  for (let number = 0; number < 110; number++)
    await appPasswordsOn(test.database, secrets).create('alice', choice, 'one_factor');
  const appPasswords = await readAll('app-passwords', 'alice');
  expect(new Set(appPasswords.map(({ id }) => id)).size).toBe(110);
  expect(appPasswords).toHaveLength(110);
  await new NodeRepository(test.database).makeStorage('alice');
  const { id } = await new PeerRepository(test.database).ensure('b.example');
  await test.database.dataSource.query(
    `INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, permissions, peer_id, delivery_state, acceptance, delivered_at)
     SELECT 6, id, owner_uid, owner_uid, 'bea' || number || '@b.example', 1, $1, 'delivered', 'unknown', now() - interval '9 days'
     FROM node, generate_series(1, 110) number`,
    [id],
  );
  const unanswered = await readAll('unanswered-shares');
  expect(new Set(unanswered.map(({ share }) => share)).size).toBe(110);
  expect(unanswered).toHaveLength(110);
});

it('finds rows of an account in any letter case, and refuses an unknown account', async () => {
  await new InvitationRepository(test.database).insert(
    'alice',
    Buffer.from('token'),
    'for a colleague',
    60_000,
  );
  expect(await readAll('invitations', 'ALICE')).toMatchObject([{ description: 'for a colleague' }]);
  expect((await readAll('shares', 'Alice')).length).toBeGreaterThan(0);
  await expect(readAll('contacts', 'nobody')).rejects.toMatchObject({ reason: 'user-unknown' });
});
