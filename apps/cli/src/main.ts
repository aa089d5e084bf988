import '#node-version';
import type { Instance } from './instance';
import { COMPLAINT, complaint, FAILED, run, type Outcome } from './run';
import { unwritable } from './unwritable';

const INTERRUPTED = 130;
let hasComplained = false;

/** Ends the work of a command on a signal, and removes its traces. */
function endOnSignals(instance: Instance): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => void instance.interrupt().finally(() => process.exit(INTERRUPTED)));
  }
}

function say({ exitCode, out, err }: Outcome): void {
  if (out !== '') process.stdout.write(out);
  if (err !== '') process.stderr.write(err);
  hasComplained ||= err.startsWith(COMPLAINT);
  process.exitCode = exitCode;
}

/** A full disk is reported once; a reader that wants no more, such as `head`, is not. */
function reportLostOutput(error: NodeJS.ErrnoException): void {
  process.once('exit', () => {
    if (error.code !== 'EPIPE' && !hasComplained)
      say(complaint((unwritable('Standard output', error) as Error).message, FAILED));
    process.exitCode = FAILED;
  });
}

process.stdout.on('error', reportLostOutput);
// Progress and complaints may be lost: the exit code still says how the command ended.
process.stderr.on('error', () => undefined);

void run(process.argv.slice(2), endOnSignals).then(say);
