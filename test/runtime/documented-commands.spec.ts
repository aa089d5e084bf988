import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseCommandLine } from '../../apps/cli/src/command-line';
import { COMMANDS } from '../../apps/cli/src/commands';
import { REPOSITORY } from '../../libs/testing/src';
import { commandBlocks, inlineCommands } from './operations-pages';

const PAGES = readdirSync(join(REPOSITORY, 'docs/operations')).filter((page) => page.endsWith('.md'));

/** Words in capitals stand for values: each gets a valid example. */
const VALUES: Readonly<Record<string, string>> = { ID: '1', VERSION: '1', FINGERPRINT: 'ab'.repeat(32) };
const wordsOf = (command: string): string[] =>
  command
    .replace(/ [|>].*$/, '')
    .replace(/\[|\]/g, '')
    .split(' ')
    .map((word) => VALUES[word] ?? word);

/** Whether the text is only the name of a command, or of a group of commands. */
const isName = (words: string): boolean =>
  COMMANDS.some(({ name }) => name === words || name.startsWith(`${words} `));

describe('commands of the pages for operators', () => {
  it('in sentences are understood by the command line', () => {
    const wrong = PAGES.flatMap((page) =>
      inlineCommands(readFileSync(join(REPOSITORY, 'docs/operations', page), 'utf8')).flatMap((command) => {
        if (isName(command)) return [];
        try {
          parseCommandLine(wordsOf(command));
          return [];
        } catch (error) {
          return [`${page}: drawbridge ${command}: ${(error as Error).message}`];
        }
      }),
    );
    expect(wrong).toEqual([]);
  });

  it('in blocks are all known to the test that runs them', () => {
    const blocks = PAGES.flatMap((page) =>
      commandBlocks(readFileSync(join(REPOSITORY, 'docs/operations', page), 'utf8')).map(() => page),
    );
    expect(blocks.length).toBeGreaterThan(12);
  });
});
