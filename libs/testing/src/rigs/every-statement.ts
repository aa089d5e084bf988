import { globSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from './gateway-process';

const PERSISTENCE = join(REPOSITORY, 'libs/persistence/src');

/**
 * All declared statements of the product; modules that are not loaded yet are loaded first.
 * @param declared returns the statements that are declared so far
 */
export async function everyStatement<Declared extends { readonly name: string }>(
  declared: () => readonly Declared[],
): Promise<Declared[]> {
  const modules = globSync('**/*.ts', { cwd: PERSISTENCE }).filter((file) => !file.endsWith('.spec.ts'));
  for (const file of modules) await import(join(PERSISTENCE, file));
  // Earlier spec files of this worker may have declared their own.
  return declared().filter(({ name }) => !name.startsWith('spec.'));
}
