import { peerKeyOf } from '#federation/protocol';
import { PeerRenameRepository, type PeerMove } from '#persistence';
import type { Command, CommandInput, Output } from '../command';
import { CommandFailed, UsageError } from '../command-failed';
import type { Instance } from '../instance';
import { askPartner, recipientAt } from '../partner-question';

/** So many shares the new host is asked for at most. */
const SAMPLES = 5;

/** Both hosts as they were given, and where the new one is reached. @throws UsageError, CommandFailed */
async function readMove(input: CommandInput, { config }: Instance): Promise<PeerMove> {
  const [old, next] = [recipientAt(input.arguments['old-host']!), recipientAt(input.arguments['new-host']!)];
  const [from, to] = [peerKeyOf(old), peerKeyOf(next)];
  if (from === to) throw new UsageError('Both hosts are the same.');
  const { profile } = await askPartner(next, config);
  if (input.options['old-host-gone'] !== true) await askOldHost(() => askPartner(old, config));
  return { from, to, baseUrl: profile.baseUrl };
}

async function askOldHost(ask: () => Promise<unknown>): Promise<void> {
  try {
    await ask();
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    throw new CommandFailed(`${error.message}\nWhere it is gone for good, say so: --old-host-gone.`);
  }
}

async function rename(renames: PeerRenameRepository, move: PeerMove, instance: Instance): Promise<Output> {
  const { proveSecrets } = await import('../secrets-proof.js');
  const samples = await renames.samples(move, SAMPLES);
  const proven = samples.length === 0 ? 0 : await proveSecrets(samples, instance);
  const { from, to } = move;
  const done = await renames.rename(move);
  const counts = `${done.shares} shares, ${done.receivedShares} received shares and ${done.messages} messages`;
  const proof =
    samples.length === 0 ? 'no share to prove it by' : `proven by ${proven} of ${samples.length} shares`;
  return {
    kind: 'done',
    sentence: `${from} is ${to} now (${proof}): ${counts} were moved.`,
    record: { from, to, done: true, proven, ...done },
  };
}

/** Lets a partner be found at another host, with everything that is shared with it. */
export const PEER_RENAME_COMMAND: Command = {
  name: 'peer rename',
  arguments: ['old-host', 'new-host'],
  options: { 'old-host-gone': { type: 'boolean' }, yes: { type: 'boolean' } },
  optionsUsage: '[--old-host-gone] [--yes]',
  summary:
    'Moves everything that is shared with a partner to its new host. Both hosts are asked what they are, and the new one has to show shares of the old one; without --yes it is only counted what would be moved.',
  async run(input, instance) {
    const move = await readMove(input, instance);
    const { from, to } = move;
    const renames = new PeerRenameRepository(await instance.open());
    const known = await renames.find(move);
    if (!known) throw new CommandFailed(`There is no partner ${from}.`);
    if (input.options.yes === true) return rename(renames, move, instance);
    const plan = await renames.plan(move);
    return { kind: 'record', record: { from, to, done: known.isDone, ...plan } };
  },
};
