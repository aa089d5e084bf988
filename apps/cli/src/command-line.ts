import { parseArgs } from 'node:util';
import type { Command, CommandInput } from './command';
import { UsageError } from './command-failed';
import { COMMANDS } from './commands';

export interface ParsedCommand {
  readonly command: Command;
  readonly input: CommandInput;
  readonly json: boolean;
}

/** The command in `words`, with its arguments; undefined asks for help. @throws UsageError */
export function parseCommandLine(words: readonly string[]): ParsedCommand | undefined {
  if (words.length === 0 || words[0] === 'help' || words.includes('--help') || words.includes('-h'))
    return undefined;
  const command = COMMANDS.find(({ name }) => name.split(' ').every((part, index) => words[index] === part));
  if (!command)
    throw new UsageError(`There is no command '${words.slice(0, 2).join(' ')}': see 'drawbridge help'.`);
  const { values, positionals } = parse(command, words.slice(command.name.split(' ').length));
  const rest = positionals.slice(command.arguments.length);
  const isComplete = positionals.length >= command.arguments.length;
  if (!isComplete || rest.length > 0 !== (command.rest !== undefined))
    throw new UsageError(`Usage: ${usageOf(command)}`);
  const named = Object.fromEntries(command.arguments.map((name, index) => [name, positionals[index]!]));
  return { command, input: { arguments: named, rest, options: values }, json: values.json === true };
}

function parse(command: Command, args: string[]) {
  try {
    const options = { ...command.options, json: { type: 'boolean' as const } };
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    const reason = (error as Error).message.split('. ')[0];
    throw new UsageError(`${reason}.\nUsage: ${usageOf(command)}`);
  }
}

function usageOf({ name, arguments: names, rest, optionsUsage }: Command): string {
  const repeated = rest === undefined ? '' : `${rest.toUpperCase()}...`;
  return ['drawbridge', name, ...names.map((argument) => argument.toUpperCase()), repeated, optionsUsage]
    .filter(Boolean)
    .join(' ');
}

/** The text of `drawbridge help`. */
export function helpText(): string {
  const commands = COMMANDS.map((command) => `  ${usageOf(command)}\n      ${command.summary}`);
  return `Administers a Drawbridge instance, whether its gateway runs or not.

${commands.join('\n')}

Every command takes --json. The instance is the one of DATABASE_URL, or of DATA_DIR (./data of the clone when neither
is set). Exit codes: 0 done, 1 refused or failed, 2 written wrongly; doctor has its own.
`;
}
