import { SigningKeyRepository } from '#persistence';
import { SecretBox } from '#platform';
import { createTestDatabase, type TestDatabase } from '#testing';
import { parseCommandLine } from '../command-line';
import type { Output } from '../command';
import type { Instance } from '../instance';

let test: TestDatabase;
const secrets = new SecretBox(() => Buffer.alloc(32, 1));
beforeAll(async () => void (test = await createTestDatabase()));
beforeEach(() => test.database.dataSource.query('TRUNCATE signing_key'));
afterAll(() => test.drop());

async function run(words: string): Promise<Output> {
  const { command, input } = parseCommandLine(words.split(' '))!;
  return command.run(input, { secrets, open: async () => test.database } as unknown as Instance);
}

async function listed(): Promise<Readonly<Record<string, unknown>>[]> {
  const output = await run('signing-key list');
  if (output.kind !== 'rows') throw new Error(output.kind);
  return [...output.rows];
}

const states = async (): Promise<unknown[]> =>
  (await listed()).map(({ algorithm, state }) => `${String(algorithm)} ${String(state)}`);

it('makes a new key of each algorithm, and prints the times of their changes', async () => {
  await run('signing-key rotate');
  expect(await states()).toEqual(['ES256 signing', 'RSA signing']);
  const before = await listed();
  const output = await run('signing-key rotate');
  expect(output).toMatchObject({ kind: 'done', isBad: false });
  expect(await states()).toEqual(['ES256 signing', 'ES256 waiting', 'RSA leaving', 'RSA signing']);
  const after = await listed();
  expect(after[0]).toEqual({ ...before[0], endsAt: expect.stringMatching(/Z$/) });
  const made = (output as { record: Record<string, { id: string; notBefore: Date }> }).record;
  expect(after[1]).toMatchObject({
    id: made.ES256!.id,
    signsFrom: made.ES256!.notBefore.toISOString(),
    endsAt: null,
  });
});

it('rotates one algorithm only if it is named', async () => {
  await run('signing-key rotate');
  await run('signing-key rotate --algorithm RSA');
  expect(await states()).toEqual(['ES256 signing', 'RSA leaving', 'RSA signing']);
  await expect(run('signing-key rotate --algorithm DSA')).rejects.toThrow(
    '--algorithm is one of ES256, RSA, all.',
  );
});

it('removes leaked keys at once', async () => {
  await run('signing-key rotate');
  const leaked = (await listed()).map(({ id }) => id);
  await run('signing-key rotate --after-leak');
  expect(await states()).toEqual(['ES256 signing', 'RSA signing']);
  for (const { id } of await listed()) expect(leaked).not.toContain(id);
});

/** Holds back readers of the keys until there are `count` of them. */
function readTogether(count: number): jest.SpyInstance {
  const { list } = SigningKeyRepository.prototype;
  const all = Promise.withResolvers<void>();
  let looking = 0;
  return jest.spyOn(SigningKeyRepository.prototype, 'list').mockImplementation(async function (
    this: SigningKeyRepository,
  ) {
    const keys = await list.call(this);
    looking += 1;
    if (looking === count) all.resolve();
    await all.promise;
    return keys;
  });
}

it('reports an earlier rotation, and prints no private key', async () => {
  await run('signing-key rotate');
  const looks = readTogether(2);
  const words = 'signing-key rotate --algorithm ES256';
  const both = await Promise.all([run(words), run(words)]).finally(() => looks.mockRestore());
  const made = both.map((output) => (output as { record: Record<string, unknown> }).record);
  expect(made.filter((record) => record.ES256 !== null)).toHaveLength(1);
  const late = both.filter((output) => output.kind === 'done' && output.isBad);
  expect(late[0]).toMatchObject({
    sentence: expect.stringContaining('another key was made at the same time'),
  });
  expect(JSON.stringify([...both, await listed()])).not.toMatch(/PRIVATE|sealed|"d"/);
});
