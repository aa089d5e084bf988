import { CommandFailed } from './command-failed';

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'its disk is full',
  EDQUOT: 'the quota of this account is used up',
  EPIPE: 'its reader has ended',
};

/** The failure of a file that a command writes for its caller, by its name; other failures unchanged. */
export function unwritable(place: string, error: unknown): unknown {
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  const isOfFile = syscall === 'write' || code in REASONS;
  return isOfFile ? new CommandFailed(`${place} cannot be written: ${REASONS[code] ?? code}.`) : error;
}
