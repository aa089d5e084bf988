import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Output } from '../../apps/cli/src/command';
import { parseCommandLine } from '../../apps/cli/src/command-line';
import { Instance } from '../../apps/cli/src/instance';
import { readConfig } from '../../libs/platform/src';
import { createEmptyDatabase, startGateway } from '../../libs/testing/src';
import { routesOf } from '../edge/route-table';
import { answersOf, differencesOf } from './answers';
import { BackupWorld } from './backup-world';

jest.setTimeout(15 * 60_000);

const directory = mkdtempSync(join(tmpdir(), 'drawbridge-backup-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Runs a command of `drawbridge` on an instance. */
async function drawbridge(env: Readonly<Record<string, string>>, ...words: string[]): Promise<Output> {
  const { command, input } = parseCommandLine(words)!;
  const instance = new Instance(readConfig(env), command.anySchema ?? false);
  try {
    return await command.run(input, instance);
  } finally {
    await instance.close();
  }
}

it('an instance that is restored from a backup gives the same answers as before', async () => {
  const world = await BackupWorld.start();
  const { gateway } = world.here;
  const routes = routesOf(gateway.instance.app.nest);
  const before = await answersOf(gateway.url, routes, world.tokens);
  expect([...before.values()].filter((answer) => answer.startsWith('200')).length).toBeGreaterThan(250);
  const file = join(directory, 'whole.tar');
  const source = { DATABASE_URL: gateway.databaseUrl, DATA_DIR: gateway.dataDirectory };
  await drawbridge(source, 'backup', '--with-encryption-key', file);
  await gateway.stop();

  const empty = await createEmptyDatabase();
  const target = { DATABASE_URL: empty.url, DATA_DIR: join(directory, 'restored') };
  const restored = await drawbridge(target, 'restore', file);
  expect(restored).toMatchObject({ kind: 'done', isBad: false, record: { migrated: [] } });
  const env = { ...world.environment, DATA_DIR: target.DATA_DIR };
  const again = await startGateway({ env, databaseUrl: empty.url });
  expect(before.size).toBeGreaterThan(1000);
  expect(differencesOf(before, await answersOf(again.url, routes, world.tokens))).toEqual({});
  expect(await world.readByPartner()).toBe(`200 ${'x'.repeat(300_000)}`);
  await again.stop();
  await world.partner.stop();
  await empty.drop();
});
