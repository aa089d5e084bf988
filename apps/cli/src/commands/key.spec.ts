import { agreeOnLookupKey } from '#persistence';
import { SecretBox } from '#platform';
import { createTestDatabase, type TestDatabase } from '#testing';
import { parseCommandLine } from '../command-line';
import type { Output } from '../command';
import type { Instance } from '../instance';

const [OLD, NEW] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];

let test: TestDatabase;
beforeEach(async () => {
  test = await createTestDatabase();
  const old = new SecretBox(() => OLD);
  await agreeOnLookupKey(test.database, old);
  await test.database.dataSource.query(
    `INSERT INTO signing_key (id, algorithm, sealed_private_key, public_jwk, not_before)
     VALUES ('known', 'ed25519', $1, '{}', now()), ('strange', 'rsa-sha512', $2, '{}', now())`,
    [old.seal('a'), new SecretBox(() => Buffer.alloc(32, 9)).seal('b')],
  );
});
afterEach(() => test.drop());

function run(words: string, previous?: Buffer): Promise<Output> {
  const { command, input } = parseCommandLine(words.split(' '))!;
  const secrets = new SecretBox(
    () => NEW,
    () => previous,
  );
  return command.run(input, { secrets, open: async () => test.database } as unknown as Instance);
}

const signingKeys = async (): Promise<unknown> => {
  const output = await run('key status', OLD);
  if (output.kind !== 'rows') throw new Error(output.kind);
  return output.rows.find(({ column }) => String(column).startsWith('signing_key'));
};

it('encrypts again everything that the previous key encrypted, and names values that neither key decrypts', async () => {
  const column = 'signing_key.sealed_private_key';
  expect(await signingKeys()).toEqual({ column, current: 0, previous: 1, unreadable: 1 });
  expect(await run('key rotate', OLD)).toMatchObject({ record: { count: 2, left: 1 }, isBad: true });
  expect(await signingKeys()).toEqual({ column, current: 1, previous: 0, unreadable: 1 });
  await test.database.dataSource.query(`DELETE FROM signing_key WHERE id = 'strange'`);
  expect(await run('key rotate', OLD)).toMatchObject({ record: { count: 0, left: 0 }, isBad: false });
});

it('does nothing with a key that is not the key of the instance', async () => {
  await expect(run('key rotate')).rejects.toThrow('The encryption key is not the one');
});
