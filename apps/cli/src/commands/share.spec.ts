import { administrationOn } from '#identity';
import { NodeRepository } from '#persistence';
import { readConfig } from '#platform';
import { createTestDatabase, type TestDatabase } from '#testing';
import type { Output } from '../command';
import { parseCommandLine } from '../command-line';
import type { Instance } from '../instance';

const config = readConfig({});

describe('share list', () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
    const { users } = administrationOn(test.database, config);
    for (const uid of ['alice', 'Bob']) await users.create({ uid, password: 'a password of the specs' });
    await new NodeRepository(test.database).makeStorage('alice');
    await test.database.dataSource.query(
      `INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions)
       SELECT type, id, 'alice', 'alice', called, called, 1 FROM node, (VALUES (0, 'Bob'), (1, 'Bob'), (1, 'bob')) AS given (type, called)
       WHERE owner_uid = 'alice' AND parent_id IS NULL`,
    );
  });
  afterAll(() => test.drop());

  async function run(...words: string[]): Promise<Output> {
    const { command, input } = parseCommandLine(words)!;
    const administration = async () => administrationOn(test.database, config);
    return command.run(input, {
      config,
      open: async () => test.database,
      administration,
    } as unknown as Instance);
  }
  async function typesWith(name: string): Promise<unknown[]> {
    const output = await run('share', 'list', '--by', 'ALICE', '--with', name);
    return output.kind === 'rows' ? output.rows.map(({ type, recipient }) => [type, recipient]) : [];
  }

  it('finds a user as recipient in any letter case, and a group in its own', async () => {
    expect(await typesWith('Bob')).toEqual([
      [0, 'Bob'],
      [1, 'Bob'],
    ]);
    expect(await typesWith('bob')).toEqual([
      [0, 'Bob'],
      [1, 'bob'],
    ]);
    expect(await typesWith('BOB')).toEqual([[0, 'Bob']]);
  });
});
