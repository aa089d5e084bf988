import '#node-version';
import { ProvisioningFailed } from '#identity';
import { actingFor, explainFailure, readConfig, refusedValues, type Config } from '#platform';
import type { Output } from './command';
import { CommandFailed, UsageError } from './command-failed';
import { helpText, parseCommandLine, type ParsedCommand } from './command-line';
import { Instance } from './instance';
import { printable, render } from './output';
import { unwritable } from './unwritable';

const FAILED = 1;
const USAGE = 2;
const INTERRUPTED = 130;

async function main(words: readonly string[]): Promise<number> {
  let config: Config | undefined;
  try {
    const parsed = parseCommandLine(words);
    if (!parsed) return say(helpText(words));
    const refused = parsed.command.refused && refusedValues();
    if (refused && refused.length > 0) return conclude(parsed.command.refused!(refused), parsed.json);
    config = readConfig();
    return await runCommand(parsed, config);
  } catch (error) {
    if (error instanceof UsageError) return complain(error.message, USAGE);
    const expected = error instanceof CommandFailed || error instanceof ProvisioningFailed;
    return complain(expected ? error.message : explainFailure(error, config), FAILED);
  }
}

async function runCommand({ command, input, json }: ParsedCommand, config: Config): Promise<number> {
  const instance = new Instance(config, command.anySchema ?? false);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => void instance.interrupt().finally(() => process.exit(INTERRUPTED)));
  }
  try {
    const output = await actingFor({ kind: 'operator' }, () => command.run(input, instance));
    return conclude(output, json);
  } finally {
    await instance.close();
  }
}

/** Prints the result of a command. @returns its exit code */
function conclude(output: Output, json: boolean): number {
  const isBeside = output.kind === 'done' && output.isBeside;
  (isBeside ? process.stderr : process.stdout).write(render(output, json));
  if (output.kind === 'report') return output.exitCode;
  return output.kind === 'done' && output.isBad ? FAILED : 0;
}

function say(text: string): number {
  process.stdout.write(text);
  return 0;
}

let hasComplained = false;

function complain(sentence: string, exitCode: number): number {
  hasComplained = true;
  process.stderr.write(`drawbridge: ${printable(sentence)}\n`);
  return exitCode;
}

/** A full disk is reported once; a reader that wants no more, such as `head`, is not. */
function reportLostOutput(error: NodeJS.ErrnoException): void {
  process.once('exit', () => {
    if (error.code !== 'EPIPE' && !hasComplained)
      complain((unwritable('Standard output', error) as Error).message, FAILED);
    process.exitCode = FAILED;
  });
}

process.stdout.on('error', reportLostOutput);
// Progress and complaints may be lost: the exit code still says how the command ended.
process.stderr.on('error', () => undefined);

void main(process.argv.slice(2)).then((exitCode) => (process.exitCode = exitCode));
