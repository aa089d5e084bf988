import { randomBytes } from 'node:crypto';
import { administrationOn, appPasswordsOn, choiceOfClient, type AppPasswords } from '#identity';
import { actingFor, SecretBox } from '#platform';
import { createTestDatabase, type TestDatabase } from '#testing';
import { parseCommandLine } from '../command-line';
import type { Output } from '../command';
import type { Instance } from '../instance';

const MODE = { COMPATIBILITY: 'documented' } as const;
const key = randomBytes(32);
const secrets = new SecretBox(() => key);

let test: TestDatabase;
let appPasswords: AppPasswords;
beforeAll(async () => {
  test = await createTestDatabase();
  await administrationOn(test.database, MODE).users.create({
    uid: 'alice',
    password: 'a password of the specs',
  });
  appPasswords = appPasswordsOn(test.database, secrets);
});
afterAll(() => test.drop());

const run = (words: string): Promise<Output> => {
  const { command, input } = parseCommandLine(words.split(' '))!;
  const { database } = test;
  const administration = async () => administrationOn(database, MODE);
  return actingFor({ kind: 'operator' }, () =>
    command.run(input, { open: async () => database, administration, secrets } as unknown as Instance),
  );
};

const rowsOf = (output: Output): unknown => (output.kind === 'rows' ? output.rows : output);

it('lists app passwords without their secrets, and revokes them', async () => {
  const phone = await appPasswords.create('alice', choiceOfClient('phone'), 'one_factor');
  for (const name of ['tablet', 'script'])
    await appPasswords.create('alice', choiceOfClient(name), 'one_factor');
  const listed = await run('app-password list ALICE');
  expect(rowsOf(listed)).toMatchObject([
    { name: 'script' },
    { name: 'tablet' },
    { id: phone.id, name: 'phone', scopes: ['files', 'sharing'], readOnly: false, usedAt: null },
  ]);
  expect(JSON.stringify(listed)).not.toContain(phone.secret);
  await run(`app-password revoke alice ${phone.id}`);
  expect(rowsOf(await run('app-password list alice'))).toMatchObject([
    { name: 'script' },
    { name: 'tablet' },
  ]);
  expect(await run('app-password revoke-all alice')).toMatchObject({ record: { uid: 'alice', revoked: 2 } });
  expect(rowsOf(await run('app-password list alice'))).toEqual([]);
});

it('refuses an unknown app password', async () => {
  await expect(run('app-password revoke alice 999')).rejects.toThrow('alice has no app password 999.');
  await expect(run('app-password revoke alice x')).rejects.toThrow('ID is a number.');
  await expect(run('app-password list nobody')).rejects.toThrow('could not be found');
});

it('is recorded in the audit log, with the name and never the secret', async () => {
  const { id, secret } = await appPasswords.create('alice', choiceOfClient('laptop'), 'one_factor');
  await appPasswords.rotate({ uid: 'alice', id });
  await run(`app-password revoke alice ${id}`);
  const query = `SELECT actor_kind, action, detail FROM audit_event WHERE detail ->> 'id' = '${id}' ORDER BY id`;
  const events = await test.database.dataSource.query<object[]>(query);
  expect(events).toMatchObject([
    {
      action: 'app-password.create',
      detail: { name: 'laptop', scopes: ['files', 'sharing'], readOnly: false },
    },
    { action: 'app-password.change', detail: { secret: 'replaced' } },
    { actor_kind: 'operator', action: 'app-password.revoke', detail: { name: 'laptop' } },
  ]);
  expect(JSON.stringify(events)).not.toContain(secret);
});
