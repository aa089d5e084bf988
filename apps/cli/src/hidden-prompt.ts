import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandFailed } from './command-failed';

/** Asks on the terminal without an echo of the input. */
async function askHidden(question: string): Promise<string> {
  const mute = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: mute, terminal: true });
  // The terminal is in raw mode during the question, so Ctrl-C arrives as a key.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  process.stderr.write(question);
  try {
    return await lines.question('');
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}

/** A new password from the terminal, typed twice. @throws CommandFailed if the two differ */
export async function askForNewPassword(): Promise<string> {
  const first = await askHidden('New password: ');
  if ((await askHidden('Once more: ')) !== first) throw new CommandFailed('The two passwords differ.');
  return first;
}
