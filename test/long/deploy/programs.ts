import { spawn, spawnSync } from 'node:child_process';

export interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly limitMs?: number;
}

const LIMIT_MS = 20 * 60_000;

/** Runs a program to its end, with any exit code. */
export function run(
  program: string,
  args: readonly string[],
  { cwd, env, input, limitMs }: RunOptions = {},
): Promise<Ended> {
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, NODE_OPTIONS: '', ...env },
    timeout: limitMs ?? LIMIT_MS,
  });
  const [output, errors]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  child.stdin.on('error', () => undefined).end(input ?? '');
  return new Promise((ended, failed) => {
    child.once('error', failed);
    child.once('close', (code) => ended({ code, output: textOf(output), errors: textOf(errors) }));
  });
}

/** @throws Error if it fails. @returns its standard output */
export async function succeed(
  program: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  const { code, output, errors } = await run(program, args, options);
  if (code === 0) return output;
  throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${(errors + output).slice(-4000)}`);
}

const textOf = (chunks: readonly Buffer[]): string => Buffer.concat(chunks).toString();

export const isInstalled = (program: string): boolean =>
  spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
