import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import pg from 'pg';
import { agreeOnLookupKey } from '#persistence';
import { SecretBox } from '#platform';
import { createTestDatabase, eventually, REPOSITORY, type TestDatabase } from '#testing';

const [OLD, NEW] = ['ab'.repeat(32), 'cd'.repeat(32)];
/** Three batches of the rotation. */
const SHARES = 1500;

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

function rotate(): ChildProcess {
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: test.url,
    ENCRYPTION_KEY: NEW,
    ENCRYPTION_KEY_PREVIOUS: OLD,
  };
  return spawn(join(REPOSITORY, 'bin/drawbridge'), ['key', 'rotate'], { env, stdio: 'ignore' });
}

it('a rotation that was killed is finished by the next run', async () => {
  const [old, next] = [OLD, NEW].map((key) => new SecretBox(() => Buffer.from(key, 'hex'))) as [
    SecretBox,
    SecretBox,
  ];
  await agreeOnLookupKey(test.database, old);
  const { dataSource } = test.database;
  await dataSource.query(
    `INSERT INTO user_account (uid, display_name, password_hash) VALUES ('anna', 'Anna', 'none')`,
  );
  await dataSource.query(
    `WITH p AS (INSERT INTO peer (host_key) VALUES ('one.example') RETURNING id)
     INSERT INTO received_share (peer_id, provider_id, token_hmac, token_enc, recipient_uid, owner, sender, name, permissions, dialect)
     SELECT p.id, n::text, '\\x00', $1, 'anna', 'o@one.example', 'o@one.example', 'n', 1, 'ocm' FROM p, generate_series(1, ${SHARES}) n`,
    [old.seal('a secret')],
  );
  const done = async (): Promise<number> => {
    const [row] = await dataSource.query<{ done: number }[]>(
      'SELECT count(*)::int AS done FROM received_share WHERE substring(token_enc FROM 1 FOR 5) = $1',
      [next.marks[0]],
    );
    return row!.done;
  };

  // The second batch waits for a share that another transaction has locked.
  const holder = new pg.Client({ connectionString: test.url });
  await holder.connect();
  await holder.query(`BEGIN; SELECT FROM received_share WHERE provider_id = '${SHARES / 2}' FOR UPDATE`);
  const killed = rotate();
  const ended = once(killed, 'exit');
  await eventually('the first batch', async () => (await done()) > 0);
  killed.kill('SIGKILL');
  expect((await ended)[1]).toBe('SIGKILL');
  await holder.query('ROLLBACK');
  await holder.end();
  expect(await done()).toBeLessThan(SHARES);

  expect(await once(rotate(), 'exit')).toEqual([0, null]);
  expect(await done()).toBe(SHARES);
});
