import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Runs a client as its users do; a failure contains its output. */
export function run(
  program: string,
  args: readonly string[],
  {
    env = {},
    input,
    cwd,
  }: { readonly env?: Readonly<Record<string, string>>; readonly input?: string; readonly cwd?: string } = {},
): Promise<string> {
  return new Promise((done, failed) => {
    const child = execFile(
      program,
      args,
      { env: { ...process.env, ...env }, cwd, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        if (!error) return done(stdout + stderr);
        failed(new Error(`${program} ended with ${String(error.code ?? error.signal)}:\n${stdout}${stderr}`));
      },
    );
    child.stdin!.end(input ?? '');
  });
}

function isInstalled(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((directory) => {
    try {
      accessSync(join(directory, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * `describe` if all these programs are installed; otherwise the tests are skipped, and the name lists the missing
 * programs.
 */
export function describeWith(programs: readonly string[], title: string, body: () => void): void {
  const missing = programs.filter((program) => !isInstalled(program));
  if (missing.length === 0) describe(title, body);
  else describe.skip(`${title} (not installed: ${missing.join(', ')})`, body);
}
