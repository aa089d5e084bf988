import { NodeRepository, PeerRepository, SettingRepository, ShareEventRepository } from '#persistence';
import { createTestDatabase, type TestDatabase } from '#testing';
import { parseCommandLine } from '../command-line';
import type { Instance } from '../instance';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
  await query(`INSERT INTO user_account (uid, display_name, password_hash) VALUES ('alice', 'Alice', '')`);
  await new NodeRepository(test.database).makeStorage('alice');
});
afterAll(() => test.drop());
beforeEach(() => test.empty('share', 'outbox_message'));

const query = <T = unknown>(text: string, values: unknown[] = []): Promise<T[]> =>
  test.database.dataSource.query<T[]>(text, values);

/** Makes a share of Alice's root, in any state. @returns its id */
async function share(host: string, columns: Readonly<Record<string, string>> = {}): Promise<number> {
  const { id } = await new PeerRepository(test.database).ensure(host);
  const all: Record<string, string> = {
    delivery_state: `'delivered'`,
    acceptance: `'unknown'`,
    delivered_at: `now() - interval '8 days'`,
    ...columns,
  };
  const [row] = await query<{ id: number }>(
    `INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, permissions, peer_id, ${Object.keys(all).join(', ')})
     SELECT 6, id, owner_uid, owner_uid, 'bea@' || $2, 1, $1, ${Object.values(all).join(', ')} FROM node RETURNING id`,
    [id, host],
  );
  return row!.id;
}

async function list(...options: string[]): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { command, input } = parseCommandLine(['delivery', 'list', '--unanswered', ...options])!;
  const output = await command.run(input, {
    open: async () => test.database,
    config: { COMPATIBILITY: 'documented' },
  } as unknown as Instance);
  if (output.kind !== 'rows') throw new Error('no rows');
  return output.rows;
}

it('lists delivered offers that nobody accepted, declined or read for a week', async () => {
  const id = await share('a.example');
  await share('a.example', { delivered_at: `now() - interval '6 days'` });
  await share('a.example', { acceptance: `'accepted'` });
  await share('a.example', { acceptance: `'declined'` });
  await share('a.example', { delivery_state: `'retrying'`, delivered_at: 'NULL' });
  expect(await list()).toMatchObject([
    { share: id, host: 'a.example', recipient: 'bea@a.example', initiator: 'alice', warning: 'no answer' },
  ]);
});

it('waits for the time of the setting', async () => {
  await share('a.example');
  const settings = new SettingRepository(test.database);
  await settings.set('federatedfilesharing', 'unanswered_after_days', '9');
  expect(await list()).toEqual([]);
  await settings.unset('federatedfilesharing', 'unanswered_after_days');
  expect(await list()).toHaveLength(1);
});

it.each(['dead', 'refused', 'cancelled'])('warns of ended shares whose message is %s', async (state) => {
  const [notified, unnotified] = [await share('a.example'), await share('b.example')];
  await query('DELETE FROM share');
  await new ShareEventRepository(test.database).handleAll();
  await query(
    `UPDATE outbox_message SET finished_at = now(), state = CASE subject_id WHEN $1 THEN 'delivered' ELSE $2 END`,
    [notified, state],
  );
  expect(await list()).toMatchObject([
    {
      share: unnotified,
      host: 'b.example',
      recipient: 'bea@b.example',
      initiator: null,
      warning: 'not told of its end',
    },
  ]);
});

it('can show only the shares of one partner, or only the oldest ones', async () => {
  const ids = [
    await share('a.example'),
    await share('b.example', { delivered_at: `now() - interval '9 days'` }),
  ];
  expect((await list()).map((row) => row.share)).toEqual([ids[1], ids[0]]);
  expect((await list('--limit', '1')).map((row) => row.share)).toEqual([ids[1]]);
  expect((await list('--peer', 'a.example')).map((row) => row.share)).toEqual([ids[0]]);
  await expect(list('--state', 'dead')).rejects.toThrow('--unanswered does not go with --state.');
});
