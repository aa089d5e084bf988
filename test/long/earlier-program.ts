import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { REPOSITORY } from '#testing';

const run = promisify(execFile);
const MIGRATIONS = 'libs/persistence/src/migrations';
const SCHEMAS = 'test/fixtures/schema';

const isMigration = (file: string): boolean => /^\d{4}-.*\.ts$/.test(file);

/** Name of the last kept schema without its file ending, which is the name of its last migration. */
export function lastKeptSchema(): string {
  return readdirSync(join(REPOSITORY, SCHEMAS)).sort().at(-1)!.replace('.sql', '');
}

/**
 * The last commit with this schema.
 * @returns undefined if this clone has no history, or not enough of it
 */
export function commitOf(schema: string): string | undefined {
  const later = readdirSync(join(REPOSITORY, MIGRATIONS)).sort();
  const next = later.find((file) => isMigration(file) && file > `${schema}.ts`);
  try {
    const made = next && git('log', '--diff-filter=A', '-1', '--format=%H', '--', `${MIGRATIONS}/${next}`);
    const commit = git('rev-parse', made ? `${made}^` : 'HEAD');
    const files = git('ls-tree', '--name-only', commit, `${MIGRATIONS}/`).split('\n');
    const last = files.map((path) => path.slice(MIGRATIONS.length + 1)).findLast(isMigration);
    return last === `${schema}.ts` ? commit : undefined;
  } catch {
    return undefined;
  }
}

const git = (...args: string[]): string =>
  execFileSync('git', args, {
    cwd: REPOSITORY,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();

/** The program of an earlier commit, built with the present packages. */
export class EarlierProgram {
  private constructor(readonly directory: string) {}

  /** Takes one processor a minute. */
  static async build(commit: string): Promise<EarlierProgram> {
    const directory = mkdtempSync(join(tmpdir(), 'drawbridge-earlier-'));
    const archive = join(directory, 'earlier.tar');
    await run('git', ['archive', '-o', archive, commit], { cwd: REPOSITORY });
    await run('tar', ['xf', archive], { cwd: directory });
    symlinkSync(join(REPOSITORY, 'node_modules'), join(directory, 'node_modules'));
    await run(join(REPOSITORY, 'node_modules/.bin/tsc'), ['-p', projectOf(directory)], { cwd: directory });
    return new EarlierProgram(directory);
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** The options of the build, whose file had another name in earlier commits. */
function projectOf(directory: string): string {
  const project = join(directory, 'tsconfig.build.json');
  return existsSync(project) ? project : join(directory, 'tsconfig.json');
}
