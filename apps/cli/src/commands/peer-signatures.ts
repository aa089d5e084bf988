import { SIGNATURE_CHOICES, type SignatureChoice } from '#federation/protocol';
import { PeerAdministrationRepository } from '#persistence';
import { textOption, type Command, type CommandInput } from '../command';
import { CommandFailed, UsageError } from '../command-failed';

const READINGS = ['refuse', 'ignore'] as const;

/** @returns undefined if the option is missing, null to follow the partner's announcements */
function choiceIn(input: CommandInput): SignatureChoice | null | undefined {
  const word = textOption(input, 'sign');
  if (word === undefined) return undefined;
  if (word === 'default') return null;
  const choice = SIGNATURE_CHOICES.find((known) => known === word);
  if (!choice) throw new UsageError(`--sign is one of ${SIGNATURE_CHOICES.join(', ')}, default.`);
  return choice;
}

function ignoresIn(input: CommandInput): boolean | undefined {
  const word = textOption(input, 'unreadable');
  if (word === undefined) return undefined;
  const reading = READINGS.find((known) => known === word);
  if (!reading) throw new UsageError(`--unreadable is one of ${READINGS.join(', ')}.`);
  return reading === 'ignore';
}

/** Choices for a partner that does not do what it announces. */
export const PEER_SIGNATURES_COMMAND: Command = {
  name: 'peer signatures',
  arguments: ['host'],
  options: { sign: { type: 'string' }, unreadable: { type: 'string' } },
  optionsUsage: '[--sign SCHEME] [--unreadable refuse|ignore]',
  summary: `--sign decides how messages to a partner are signed: ${SIGNATURE_CHOICES.join(', ')}, default. --unreadable decides whether its own messages are refused if their signature cannot be read, or count as unsigned.`,
  async run(input, instance) {
    const host = input.arguments.host!;
    const [signBy, ignoresUnreadable] = [choiceIn(input), ignoresIn(input)];
    if (signBy === undefined && ignoresUnreadable === undefined)
      throw new UsageError('Give --sign, --unreadable, or both.');
    const peers = new PeerAdministrationRepository(await instance.open());
    if (!(await peers.chooseSignatures(host, { signBy, ignoresUnreadable })))
      throw new CommandFailed(`There is no partner ${host}.`);
    const record = { host, ...(await peers.find(host))!.chosen };
    return { kind: 'done', sentence: `The choices for ${host} are kept.`, record };
  },
};
