import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { REPOSITORY } from '#testing';
import { succeed } from './programs';

interface Block {
  readonly commands: string;
  readonly prints: string | undefined;
}
interface Readme {
  readTour(readme: string): { readonly tour: readonly Block[] };
  printsAsShown(printed: string, shown: string): boolean;
}

const BOUNDARY = '=== end of a block of the README ===';

/**
 * Follows the tour of the README, with a deployment instead of the gateway of `npm start`.
 * @throws Error if the output differs from the README. @returns number of blocks that were run
 */
export async function takeTour(directory: string, url: string): Promise<number> {
  const module = pathToFileURL(join(REPOSITORY, 'scripts/fresh-clone/readme-tour.mjs')).href;
  const { readTour, printsAsShown } = (await import(module)) as Readme;
  const { tour } = readTour(readFileSync(join(directory, 'README.md'), 'utf8'));
  const script = tour.map(({ commands }) => `${commands}\nprintf '\\n%s\\n' '${BOUNDARY}'`).join('\n');
  const printed = (
    await succeed('bash', ['-c', script.replaceAll('http://127.0.0.1:8080', url)], { cwd: directory })
  ).split(`\n${BOUNDARY}\n`);
  tour.forEach(({ commands, prints }, at) => {
    if (prints === undefined || printsAsShown(printed[at]!, prints)) return;
    throw new Error(`The README says that\n${commands}prints\n${prints}but it prints\n${printed[at]}`);
  });
  return tour.length;
}
