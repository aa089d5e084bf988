import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { administrationOn } from '#identity';
import { Database } from '#persistence';
import { readConfig, SecretBox } from '#platform';
import { parseCommandLine } from '../../apps/cli/src/command-line';
import type { Instance } from '../../apps/cli/src/instance';
import { SharingGateway } from '../sharing/sharing-gateway';
import { AMONG_FAKES, SHARES } from './outgoing-world';

let here: SharingGateway;
let there: SharingGateway;
beforeAll(async () => {
  [here, there] = (await Promise.all(
    ['here', 'there'].map(() => SharingGateway.start({ env: AMONG_FAKES })),
  )) as [SharingGateway, SharingGateway];
  await here.addUsers('bob');
  await there.addUsers('alice');
});
afterAll(() => Promise.all([here?.stop(), there?.stop()]));

/** Runs a command on the database of a running gateway. */
async function run(...words: string[]): Promise<Record<string, unknown>> {
  const { nest } = here.gateway.instance.app;
  const { command, input } = parseCommandLine(words)!;
  const config = readConfig({ PUBLIC_URL: here.gateway.url });
  const database = nest.get(Database, { strict: false });
  const instance = {
    ...{ config, secrets: nest.get(SecretBox, { strict: false }), open: async () => database },
    administration: async () => administrationOn(database, config),
  };
  const output = await command.run(input, instance as unknown as Instance);
  return output.kind === 'done' ? { ...output.record } : {};
}

describe('drawbridge link save', () => {
  it("saves another server's public link for a user, with its password", async () => {
    await there.store('alice', '/linked.txt');
    const form = { path: '/linked.txt', shareType: '3', password: 'open-sesame-please' };
    const { url } = (await there.ocs('POST', SHARES, 'alice', form)).data;
    const file = join(mkdtempSync(join(tmpdir(), 'link-')), 'password');
    writeFileSync(file, 'wrong\n');
    await expect(run('link', 'save', 'bob', url, '--password-file', file)).rejects.toThrow('password');
    writeFileSync(file, 'open-sesame-please\n');
    expect(await run('link', 'save', 'BOB', url, '--password-file', file)).toMatchObject({
      mountpoint: '/linked.txt',
    });
    expect(await here.dav('GET', 'bob', '/linked.txt')).toBe(200);
  });

  it.each([
    ['no address of a link', ['bob', 'https://cloud.example.org/'], 'ADDRESS'],
    ['somebody who is not there', ['nobody', 'https://cloud.example.org/s/NoSuchLinkHere1'], 'not be found'],
  ])('refuses %s', async (_, words, reason) => {
    await expect(run('link', 'save', ...words)).rejects.toThrow(reason);
  });

  it('refuses a link of the same server', async () => {
    await expect(run('link', 'save', 'bob', `${here.gateway.url}/s/NoSuchLinkHere1`)).rejects.toThrow(
      'this server',
    );
  });
});
