import { ProvisioningFailed } from '#identity';
import {
  actingFor,
  explainFailure,
  PRODUCT_NAME,
  PRODUCT_VERSION,
  readConfig,
  refusedValues,
  type Config,
} from '#platform';
import type { Output } from './command';
import { CommandFailed, UsageError } from './command-failed';
import { helpText, parseCommandLine, type ParsedCommand } from './command-line';
import { Instance } from './instance';
import { printable, render } from './output';

export const FAILED = 1;
const USAGE = 2;
/** How a refusal begins. */
export const COMPLAINT = 'drawbridge: ';

/** The end of a command. */
export interface Outcome {
  readonly exitCode: number;
  /** Text for standard output, besides that which the command wrote there itself. */
  readonly out: string;
  /** Text for standard error, likewise. */
  readonly err: string;
}

/**
 * Runs the command in `words`.
 * @param watch gets the instance while the command uses it, to interrupt it
 * @param environment variables of the configuration; default: those of the process
 */
export async function run(
  words: readonly string[],
  watch: (instance: Instance) => void,
  environment?: NodeJS.ProcessEnv,
): Promise<Outcome> {
  let config: Config | undefined;
  if (['--version', '-V'].includes(words[0] ?? ''))
    return { exitCode: 0, out: `${PRODUCT_NAME} ${PRODUCT_VERSION}\n`, err: '' };
  try {
    const parsed = parseCommandLine(words);
    if (!parsed) return { exitCode: 0, out: helpText(words), err: '' };
    const refused = parsed.command.refused && refusedValues(environment);
    if (refused && refused.length > 0) return outcomeOf(parsed.command.refused!(refused), parsed.json);
    config = readConfig(environment);
    return await runOn(config, parsed, watch);
  } catch (error) {
    if (error instanceof UsageError) return complaint(error.message, USAGE);
    const expected = error instanceof CommandFailed || error instanceof ProvisioningFailed;
    return complaint(expected ? error.message : explainFailure(error, config), FAILED);
  }
}

async function runOn(
  config: Config,
  { command, input, json }: ParsedCommand,
  watch: (instance: Instance) => void,
): Promise<Outcome> {
  const instance = new Instance(config, command.anySchema ?? false);
  watch(instance);
  try {
    const output = await actingFor({ kind: 'operator' }, () => command.run(input, instance));
    return outcomeOf(output, json);
  } finally {
    await instance.close();
  }
}

function outcomeOf(output: Output, json: boolean): Outcome {
  const text = render(output, json);
  const isBeside = output.kind === 'done' && output.isBeside === true;
  return { exitCode: exitCodeOf(output), out: isBeside ? '' : text, err: isBeside ? text : '' };
}

function exitCodeOf(output: Output): number {
  if (output.kind === 'report') return output.exitCode;
  return output.kind === 'done' && output.isBad ? FAILED : 0;
}

/** A refusal or a failure, in one sentence. */
export function complaint(sentence: string, exitCode: number): Outcome {
  return { exitCode, out: '', err: `${COMPLAINT}${printable(sentence)}\n` };
}
