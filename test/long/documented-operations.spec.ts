import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '#testing';
import { parseCommandLine } from '../../apps/cli/src/command-line';
import { blocksOf, commandBlocks, inlineCommands, inlineKubectl } from '../runtime/operations-pages';
import { isInstalled, run } from './deploy/programs';
import { EXAMPLES, INPUT, type Example } from './operations/examples';
import { passwordOf, readPage, stopped, TwoInstances } from './operations/two-instances';

jest.setTimeout(15 * 60_000);

const PAGES = readdirSync(join(REPOSITORY, 'docs/operations')).filter((page) => page.endsWith('.md'));
const commandsIn = (find: (page: string) => string[]): string[] => [
  ...new Set(PAGES.flatMap((page) => find(readPage(page)))),
];
/** The block of a page that begins with these words. */
const blockOf = (page: string, words: string): string => {
  const found = commandBlocks(readPage(page)).find((text) => text.includes(words));
  if (found === undefined) throw new Error(`${page} has no block with ${words}`);
  return found;
};

let both: TwoInstances;
beforeAll(async () => {
  both = await TwoInstances.start();
  await both.addUser('alice');
  await both.addUser('bob', both.partner);
});
afterAll(() => both?.stop());

/** Replaces hosts and directories of the pages by those of the test. */
const here = (text: string): string =>
  text
    .replaceAll('https://cloud.example.org', both.ours.url)
    .replaceAll('https://cloud.partner.example', both.partner.url)
    .replaceAll('cloud.partner.example', both.partner.host)
    .replaceAll('cloud.example.org', both.ours.host)
    .replaceAll('/var/backups', join(both.directory, 'backups'))
    .replaceAll('/var/tmp', join(both.directory, 'scratch'))
    .replace(/curl -u (alice|bob)\b/g, (_, uid: string) => `curl -fsS -u ${uid}:${passwordOf(uid)}`);

/** Doctor warns of http and private addresses, but two instances on one machine need them. */
const NO_FAILURE = /, 0 failed\n$/;

/** Makes widths of tables and times equal. */
const words = (text: string): string =>
  text
    .trim()
    .replace(/[ \t]+/g, ' ')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME');

it('the page about onboarding connects two instances, step by step, and shows what is printed', async () => {
  const steps = blocksOf(readPage('onboarding.md')).slice(0, -1);
  expect(steps.length).toBeGreaterThan(8);
  let printed = '';
  for (const { kind, text } of steps) {
    if (kind === 'text') {
      const shown = here(text.replaceAll('https://', 'http://'));
      expect(words(printed)).toContain(words(shown));
      continue;
    }
    const { code, output, errors } = await both.bash(here(text));
    if (text.trim() === 'drawbridge doctor') expect(output).toMatch(NO_FAILURE);
    else
      expect({ text, code, errors: code === 0 ? '' : errors + output }).toEqual({
        text,
        code: 0,
        errors: '',
      });
    printed = output;
  }
  const [, sentence] = /`(PORT=8081 [^`]+bin\/drawbridge) (peer probe [^`]+)`/
    .exec(readPage('onboarding.md'))!
    .slice(1);
  expect(
    await both.drawbridge(here(sentence!.replace('127.0.0.1:8082', both.partner.host)).split(' ')),
  ).toContain(both.partner.host);
});

it('a backup is made, rehearsed and restored by the commands of its page', async () => {
  for (const name of ['backups', 'scratch', 'restored']) mkdirSync(join(both.directory, name));
  const [backup, restore] = here(blockOf('backup-and-restore.md', 'drawbridge restore')).trim().split('\n');
  for (const command of [
    backup!,
    here(blockOf('backup-and-restore.md', 'backup:rehearse')),
    here(blockOf('upgrade.md', 'before-upgrade')),
  ])
    expect(await both.bash(command)).toMatchObject({ code: 0 });
  expect(existsSync(join(both.directory, 'backups/before-upgrade.tar'))).toBe(true);
  const empty = { variables: { ...both.ours.variables, DATA_DIR: join(both.directory, 'restored') } };
  expect(await both.bash(restore!, empty)).toMatchObject({ code: 0 });
  expect((await both.bash('drawbridge user show alice', empty)).output).toContain('alice');
});

it('the audit trail is exported by the command of its page', async () => {
  const command = blockOf('audit.md', 'audit export')
    .replace(/--since \S+/, '--since 2026-01-01')
    .replace(/--until \S+/, '--until 2126-01-01');
  expect(await both.bash(`${command.trim()} && gunzip -c audit-*.gz`)).toMatchObject({
    code: 0,
    output: expect.stringContaining('"alice"'),
  });
});

it('a gateway is started by the command for one machine', async () => {
  const port = Number(new URL(both.ours.url).port) + 2;
  const command = blockOf('install.md', 'npm start').replace('/srv/drawbridge', join(both.directory, 'srv'));
  const gateway = await both.launch(`PORT=${port} ${command.trim()}`, { url: `http://127.0.0.1:${port}` });
  await stopped(gateway);
  for (const name of ['encryption-key', 'admin-password'])
    expect(readFileSync(join(both.directory, 'srv', name), 'utf8').length).toBeGreaterThan(10);
});

describe('commands in sentences', () => {
  const exampleOf = (command: string): Example | undefined =>
    EXAMPLES.filter((one) => command.startsWith(one.command)).sort(
      (one, other) => other.command.length - one.command.length,
    )[0];
  /** False for a name alone, if the command needs arguments. */
  const canRun = (command: string): boolean => {
    try {
      parseCommandLine(
        command
          .replace(/ [|>].*$/, '')
          .replace(/\[|\]/g, '')
          .split(' ')
          .map((word) => (word === 'ID' ? '1' : word)),
      );
      return true;
    } catch {
      return false;
    }
  };
  const commands = commandsIn(inlineCommands).filter(canRun);

  it('are many, and each example belongs to one', () => {
    expect(commands.length).toBeGreaterThan(60);
    expect(EXAMPLES.filter(({ command }) => !commands.some((one) => one.startsWith(command)))).toEqual([]);
  });

  // Values of words in capitals that have the same meaning in every command.
  const usual = (): Record<string, string> => ({
    HOST: both.partner.host,
    UID: 'alice',
    ID: '4711',
    FILE: join(both.directory, 'backups/drawbridge.tar'),
    OLD: both.partner.host,
    NEW: 'new.partner.example',
    DAYS: '3',
    F: join(both.directory, 'finding'),
    KEY: 'age1example',
  });

  it.each(commands)('drawbridge %s', async (command) => {
    const example = exampleOf(command);
    const values: Record<string, string> = { ...usual(), ...(await example?.prepare?.(both)) };
    const line = here(command)
      // The test does not need the encryption by `age`.
      .replace(/\| age -r KEY/, '| cat')
      .replace(/\[|\]/g, (sign) => (command.includes("'[") ? sign : ''))
      .split(' ')
      .map((word) => values[word] ?? word)
      .join(' ');
    const variables = { ...both.ours.variables, ...example?.variables };
    const { code, output, errors } = await both.bash(`drawbridge ${line}`, { variables }, INPUT);
    if (command === 'doctor') return expect(output).toMatch(NO_FAILURE);
    if (example?.refusal === undefined)
      return expect({ line, code, errors: code === 0 ? '' : errors + output }).toEqual({
        line,
        code: 0,
        errors: '',
      });
    expect({ line, code }).toEqual({ line, code: 1 });
    expect(errors).toMatch(example.refusal);
  });
});

const kubectl = isInstalled('kubectl');
(kubectl ? describe : describe.skip)(
  `commands for a cluster${kubectl ? '' : ' (skipped: kubectl is not installed)'}`,
  () => {
    const inBlocks = (page: string) =>
      commandBlocks(page).flatMap((text) =>
        text
          .replaceAll('\\\n', ' ')
          .split('\n')
          .filter((line) => line.trim().startsWith('kubectl')),
      );
    /** Without a cluster, kubectl reads the command line and its files, and then fails to connect. */
    const NO_SERVER = /connection to the server|connection refused|failed to download openapi/;

    it.each([...commandsIn(inBlocks), ...commandsIn(inlineKubectl)])('%s is understood', async (command) => {
      const line = command
        .trim()
        .replace(/ > \S+$/, '')
        .replace('APP', 'files')
        .replace('kubectl', 'kubectl --server=http://127.0.0.1:1');
      const { code, errors } = await run('bash', ['-c', line], {
        cwd: REPOSITORY,
        env: { KUBECONFIG: '/dev/null' },
      });
      expect(code).not.toBe(0);
      expect(errors).toMatch(NO_SERVER);
    });
  },
);
