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
    throw new UsageError(`'${words.join(' ')}' needs another word:\n${usagesOf(commandsNamed(words))}`);
  const { values, positionals } = parse(command, words.slice(command.name.split(' ').length));
  const rest = positionals.slice(command.arguments.length);
  const isComplete = positionals.length >= command.arguments.length;
  if (!isComplete || rest.length > 0 !== (command.rest !== undefined))
    throw new UsageError(`Usage: ${usageOf(command)}`);
  const named = Object.fromEntries(command.arguments.map((name, index) => [name, positionals[index]!]));
  return { command, input: { arguments: named, rest, options: values }, json: values.json === true };
}

/** Commands that begin with these words, or with which these words begin. @throws UsageError if there are none */
function commandsNamed(words: readonly string[]): readonly Command[] {
  const named = COMMANDS.filter(({ name }) =>
    name.split(' ').every((part, index) => [part, undefined].includes(words[index])),
  );
  if (named.length === 0)
    throw new UsageError(`There is no command '${words.slice(0, 2).join(' ')}': see 'drawbridge help'.`);
  return named;
}

function parse(command: Command, args: string[]) {
  try {
    const options = { ...command.options, json: { type: 'boolean' as const } };
    const { values, positionals } = parseArgs({ args: args.map(hidden), options, allowPositionals: true });
    const shownValues = Object.entries(values).map(([name, value]) => [name, shown(value)] as const);
    return { values: Object.fromEntries(shownValues), positionals: positionals.map(shown) };
  } catch (error) {
    const reason = (error as Error).message.split('. ')[0];
    throw new UsageError(`${reason}.\nUsage: ${usageOf(command)}`);
  }
}

/** Negative numbers are values: `parseArgs` would read -3 as an option. No argument of a program contains NUL. */
const hidden = (word: string): string => word.replace(/^-(?=\d)/, '\0');
const shown = <T>(value: T): T =>
  (typeof value === 'string'
    ? value.replace(/^\0/, '-')
    : Array.isArray(value)
      ? value.map(shown)
      : value) as T;

function usageOf({ name, arguments: names, rest, optionsUsage }: Command): string {
  const repeated = rest === undefined ? '' : `${rest.toUpperCase()}...`;
  return ['drawbridge', name, ...names.map((argument) => argument.toUpperCase()), repeated, optionsUsage]
    .filter(Boolean)
    .join(' ');
}

/** How to write these commands, and what they do. */
const usagesOf = (commands: readonly Command[]): string =>
  commands.map((command) => `  ${usageOf(command)}\n      ${command.summary}`).join('\n');

/** The text of `drawbridge help`, `drawbridge help user` and `drawbridge user add --help`. @throws UsageError */
export function helpText(words: readonly string[]): string {
  const topic = words.filter((word, index) => !word.startsWith('-') && !(index === 0 && word === 'help'));
  return `Administers a Drawbridge instance, whether its gateway runs or not.

${usagesOf(commandsNamed(topic))}

Every command takes --json; --version prints the version. The instance is the one of DATABASE_URL, or of DATA_DIR
(./data of the clone when neither is set). Exit codes: 0 done, 1 refused or failed, 2 written wrongly; doctor has its own.
`;
}
