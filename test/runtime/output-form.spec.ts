import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ADMIN, spawnApp, spawnGateway } from '#testing';
import { itInFullForm } from '../../libs/testing/src/full-form';

// Long enough to start processes on a busy machine.
const linesOf = (output: string): string[] => output.split('\n').filter((line) => line !== '');
const notJson = (output: string): string[] =>
  linesOf(output).filter((line) => {
    try {
      return typeof (JSON.parse(line) as { level?: unknown }).level !== 'number';
    } catch {
      return true;
    }
  });

it('a standalone instance can write only JSON lines, from its start to its end', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'drawbridge-output-'));
  const environment = { DATA_DIR: directory, ADMIN_PASSWORD: ADMIN.password, OUTPUT: 'json' };
  try {
    const gateway = await spawnGateway({ env: environment });
    expect(await gateway.stop()).toEqual({ code: 0, signal: null });
    expect(notJson(gateway.output())).toEqual([]);
    expect(gateway.output()).toContain('"msg":"Stopped."');
    expect(gateway.output()).toContain('"msg":"Schema brought up to date (Foundation1764000000001, ');
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

itInFullForm('a standalone instance tells people only how much of the schema is new', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'drawbridge-output-'));
  try {
    const gateway = await spawnGateway({ env: { DATA_DIR: directory, ADMIN_PASSWORD: ADMIN.password } });
    await gateway.stop();
    expect(gateway.output()).toMatch(/^Schema brought up to date \(\d+ steps\)$/m);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

it.each<Readonly<Record<string, string>>>([{ PORT: 'many', LOG_LEVEL: 'loud' }, {}])(
  'an app reports the failure of its start in a JSON line with %j',
  async (environment) => {
    const started = spawnApp({ app: 'share-api', env: { ...environment, OUTPUT: 'json' } });
    expect(await started.exit).toMatchObject({ code: 1 });
    expect(linesOf(started.output())).toHaveLength(1);
    expect(notJson(started.output())).toEqual([]);
  },
);
