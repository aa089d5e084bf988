import { readConfig } from '#platform';
import { administrationOn } from '#identity';
import { createTestDatabase, type TestDatabase } from '#testing';
import type { Output } from '../command';
import { parseCommandLine } from '../command-line';
import type { Instance } from '../instance';

const config = readConfig({ PUBLIC_URL: 'https://share.example.org' });

describe('members of a group at partners', () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
    await run('group', 'add', 'team');
  });
  afterAll(() => test.drop());

  function run(...words: string[]): Promise<Output> {
    const { command, input } = parseCommandLine(words)!;
    const instance = {
      config,
      open: async () => test.database,
      administration: async () => administrationOn(test.database, config),
    };
    return command.run(input, instance as unknown as Instance);
  }

  it('join, are listed in the order of their ids, and leave', async () => {
    await run('group', 'remote-join', 'team', 'Ben@https://B.example.org/');
    const twice = await run('group', 'remote-join', 'team', 'Ben@b.example.org');
    expect(twice).toMatchObject({ record: { added: 0 } });
    await run('group', 'remote-join', 'team', 'ann@c.example.org');
    const ben = { cloudId: 'Ben@https://B.example.org', id: 'Ben@b.example.org' };
    const ann = { cloudId: 'ann@c.example.org', id: 'ann@c.example.org' };
    expect(await run('group', 'remote-list', 'team')).toEqual({ kind: 'rows', rows: [ben, ann] });
    expect(await run('group', 'remote-list', 'team', '--after', ben.id)).toEqual({
      kind: 'rows',
      rows: [ann],
    });
    const left = await run('group', 'remote-leave', 'team', 'Ben@b.example.org');
    expect(left).toMatchObject({ record: { removed: 1 } });
    expect(await run('group', 'remote-list', 'team')).toEqual({ kind: 'rows', rows: [ann] });
  });

  it.each([
    ['team', 'zoe@share.example.org', 'is an account of this server'],
    ['team', 'zoe', 'is no federated cloud id'],
    ['nowhere', 'ann@c.example.org', 'could not be found'],
    ['admin', 'ann@c.example.org', 'Administrators'],
  ])('are refused in %s: %s', async (gid, cloudId, words) => {
    await expect(run('group', 'remote-join', gid, cloudId)).rejects.toThrow(words);
  });
});
