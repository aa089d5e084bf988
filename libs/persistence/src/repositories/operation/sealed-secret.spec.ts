import { ConfigError, SecretBox } from '#platform';
import { createTestDatabase, type TestDatabase } from '../../../../testing/src/rigs/test-database';
import type { Database } from '../../database';
import { agreeOnLookupKey } from '../../lookup-key';
import type { AnyStatement, ArgumentsOf } from '../../statement';
import { SEALED_COLUMNS, SealedSecretRepository } from './sealed-secret.repository';

const [OLD, NEW, FOREIGN] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte)) as [Buffer, Buffer, Buffer];
const SECRET = 'a secret of the specs';
const SHARES = 1200;

const boxWith = (key: Buffer, previous?: Buffer): SecretBox =>
  new SecretBox(
    () => key,
    () => previous,
  );

let test: TestDatabase;
beforeEach(async () => {
  test = await createTestDatabase();
});
afterEach(() => test.drop());

const sql = <Row = unknown>(text: string, values: unknown[] = []): Promise<Row[]> =>
  test.database.dataSource.query<Row[]>(text, values);

/** Fills a database with secrets of `box`: more received shares than fit into one batch, a message and a signing key. */
async function used(box: SecretBox): Promise<void> {
  await agreeOnLookupKey(test.database, box);
  await sql(`INSERT INTO user_account (uid, display_name, password_hash) VALUES ('anna', 'Anna', 'none')`);
  await sql(`INSERT INTO peer (host_key) VALUES ('one.example')`);
  await sql(
    `INSERT INTO received_share (peer_id, provider_id, token_hmac, token_enc, recipient_uid, owner, sender, name, permissions, dialect)
     SELECT p.id, n::text, $1, $2, 'anna', 'o@one.example', 'o@one.example', 'n', 1, 'ocm' FROM peer p, generate_series(1, ${SHARES}) n`,
    [box.lookup(SECRET), box.seal(SECRET)],
  );
  await sql(
    `INSERT INTO outbox_message (subject_type, subject_id, peer_id, kind, revision, dedupe_key, payload, sealed_secret, deadline_at)
     SELECT 'share', 1, id, 'share-create', 0, 'x', '{}', $1, now() FROM peer`,
    [box.seal(SECRET)],
  );
  await sql(
    `INSERT INTO signing_key (id, algorithm, sealed_private_key, public_jwk, not_before) VALUES ('k', 'ed25519', $1, '{}', now())`,
    [box.seal(SECRET)],
  );
}
const SECRETS = SHARES + 3;

async function everySecret(): Promise<Buffer[]> {
  const selects = SEALED_COLUMNS.map(
    ({ table, column }) => `SELECT ${column} AS sealed FROM ${table} WHERE ${column} IS NOT NULL`,
  );
  return (await sql<{ sealed: Buffer }>(selects.join(' UNION ALL '))).map(({ sealed }) => sealed);
}

it('lists every column of the schema that holds encrypted values', async () => {
  const columns = await sql<{ name: string }>(
    `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND data_type = 'bytea' AND (column_name LIKE '%\\_enc' OR column_name LIKE 'sealed\\_%')`,
  );
  const known = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`);
  expect(known.sort()).toEqual(columns.map(({ name }) => name).sort());
});

it('during a change of the key both keys open everything, lookups stay the same, and no third key starts', async () => {
  const old = boxWith(OLD);
  await used(old);
  const [next, early] = [boxWith(NEW, OLD), boxWith(OLD, NEW)];
  for (const box of [next, early]) await agreeOnLookupKey(test.database, box);
  expect(next.lookup(SECRET)).toEqual(old.lookup(SECRET));
  expect(early.open(next.seal(SECRET))).toBe(SECRET);
  for (const sealed of await everySecret()) expect(next.open(sealed)).toBeTruthy();
  for (const box of [boxWith(NEW), boxWith(FOREIGN), boxWith(FOREIGN, NEW)])
    await expect(agreeOnLookupKey(test.database, box)).rejects.toThrow(ConfigError);
});

it('encrypts everything again; then the new key alone is enough and the old one opens nothing', async () => {
  await used(boxWith(OLD));
  const next = boxWith(NEW, OLD);
  const repository = new SealedSecretRepository(test.database, next);
  expect(await repository.sealAnew()).toBe(SECRETS);
  expect(await repository.sealAnew()).toBe(0);
  const alone = boxWith(NEW);
  await agreeOnLookupKey(test.database, alone);
  expect(alone.lookup(SECRET)).toEqual(boxWith(OLD).lookup(SECRET));
  for (const sealed of await everySecret()) {
    expect(alone.open(sealed)).toBeTruthy();
    expect(() => boxWith(OLD).open(sealed)).toThrow();
  }
  await expect(agreeOnLookupKey(test.database, boxWith(OLD))).rejects.toThrow(ConfigError);
});

it('continues after an interruption, and reports its progress', async () => {
  await used(boxWith(OLD));
  const dying = boxWith(NEW, OLD);
  const seal = dying.seal.bind(dying);
  let left = 700;
  dying.seal = (text) => {
    if (left-- === 0) throw new Error('killed');
    return seal(text);
  };
  await expect(new SealedSecretRepository(test.database, dying).sealAnew()).rejects.toThrow('killed');
  const repository = new SealedSecretRepository(test.database, boxWith(NEW, OLD));
  const shares = async () =>
    (await repository.count()).find(({ column }) => column === 'received_share.token_enc');
  expect(await shares()).toMatchObject({ current: 500, previous: SHARES - 500, unreadable: 0 });
  expect(await repository.sealAnew()).toBe(SECRETS - 501);
  expect(await shares()).toMatchObject({ current: SHARES, previous: 0, unreadable: 0 });
  const strange = new SealedSecretRepository(test.database, boxWith(FOREIGN));
  expect((await strange.count()).reduce((sum, { unreadable }) => sum + unreadable, 0)).toBe(SECRETS);
});

it('does not undo values that were stored meanwhile', async () => {
  await used(boxWith(OLD));
  const next = boxWith(NEW, OLD);
  const newer = next.seal('newer');
  // Stores a value between the reading and the writing of a batch.
  const database = {
    rows: async <S extends AnyStatement>(statement: S, ...values: ArgumentsOf<S>) => {
      if (statement.name === 'sealed_secret.replace_signing_key_sealed_private_key')
        await sql('UPDATE signing_key SET sealed_private_key = $1', [newer]);
      return test.database.rows(statement, ...values);
    },
  } as unknown as Database;
  await new SealedSecretRepository(database, next).sealAnew();
  const [row] = await sql<{ sealed: Buffer }>('SELECT sealed_private_key AS sealed FROM signing_key');
  expect(next.open(row!.sealed)).toBe('newer');
});

it('an old schema without a key for lookups continues to use its encryption key for them', async () => {
  const [candidate] = boxWith(OLD).lookupCandidates;
  await sql('UPDATE instance SET key_check = $1, sealed_lookup_key = NULL', [candidate!.check]);
  const next = boxWith(NEW, OLD);
  await agreeOnLookupKey(test.database, next);
  expect(next.lookup(SECRET)).toEqual(boxWith(OLD).lookup(SECRET));
});
