import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { textOption, type CommandInput } from './command';
import { CommandFailed, UsageError } from './command-failed';
import { askForNewPassword } from './hidden-prompt';

const GENERATED_BYTES = 15;

/** Options of every command that takes a new password. The password is never an argument, because process lists show arguments. */
export const PASSWORD_OPTIONS = {
  'password-file': { type: 'string' },
  generate: { type: 'boolean' },
} as const;
export const PASSWORD_USAGE = '[--password-file FILE | --generate]';

export interface NewPassword {
  readonly password: string;
  /** Whether it was generated here, and has to be shown. */
  readonly generated: boolean;
}

/**
 * The new password: generated (--generate), the first line of a file (--password-file, `-` for standard input), typed
 * on the terminal, or the first line of standard input.
 */
export async function readNewPassword(input: CommandInput): Promise<NewPassword> {
  const file = textOption(input, 'password-file');
  if (input.options.generate === true) {
    if (file !== undefined) throw new UsageError('--password-file and --generate exclude each other.');
    return { password: randomBytes(GENERATED_BYTES).toString('base64url'), generated: true };
  }
  return { password: await readGiven(file), generated: false };
}

/** The first line of the file in `--password-file`, `-` for standard input. @throws CommandFailed */
export async function readPasswordOption(file: string): Promise<string> {
  return firstLine(file === '-' ? await text(process.stdin) : readPasswordFile(file));
}

async function readGiven(file: string | undefined): Promise<string> {
  if (file === undefined && process.stdin.isTTY) return askForNewPassword();
  return readPasswordOption(file ?? '-');
}

function readPasswordFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandFailed(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

function firstLine(content: string): string {
  const line = content.split(/\r?\n/, 1)[0]!;
  if (line === '') throw new CommandFailed('No password was given.');
  return line;
}
