import { readMove, renamePartner, type AskedHost, type PartnerMove } from '#federation/exchange';
import { peerKeyOf, type FederatedCloudId } from '#federation/protocol';
import { PeerRenameRepository } from '#persistence';
import type { Config } from '#platform';
import type { Command, CommandInput, Output } from '../command';
import { CommandFailed, UsageError } from '../command-failed';
import type { Instance } from '../instance';
import { askPartner, recipientAt } from '../partner-question';

/** Both given hosts, and the address of the new one. @throws UsageError, CommandFailed */
async function readHosts(input: CommandInput, { config }: Instance): Promise<PartnerMove> {
  const [old, next] = [recipientAt(input.arguments['old-host']!), recipientAt(input.arguments['new-host']!)];
  const [from, to] = [peerKeyOf(old), peerKeyOf(next)];
  if (from === to) throw new UsageError('Both hosts are the same.');
  const isOldHostGone = input.options['old-host-gone'] === true;
  const ask = (host: 'old' | 'new'): Promise<AskedHost> => askedHost(host === 'new' ? next : old, config);
  const read = await readMove(ask, { from, to, isOldHostGone });
  if (read.kind === 'move') return read.move;
  const advice = read.host === 'old' ? '\nWhere it is gone for good, say so: --old-host-gone.' : '';
  throw new CommandFailed(read.failure + advice);
}

async function askedHost(recipient: FederatedCloudId, config: Config): Promise<AskedHost> {
  try {
    return (await askPartner(recipient, config)).profile;
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    return { failure: error.message };
  }
}

async function rename(renames: PeerRenameRepository, move: PartnerMove, instance: Instance): Promise<Output> {
  const { provingSecrets } = await import('../secrets-proof.js');
  const { from, to } = move;
  const renamed = await provingSecrets(instance, (proof) =>
    renamePartner(
      {
        ...proof,
        samples: (asked, limit) => renames.samples(asked, limit),
        move: (asked) => renames.rename(asked),
      },
      move,
    ),
  );
  const { asked } = renamed;
  if (renamed.kind === 'unproven')
    throw new CommandFailed(
      renamed.reason === 'shows-none'
        ? `${to} shows none of ${asked} shares: nothing was done.`
        : `${to} shows a share to anybody: that proves nothing, and nothing was done.`,
    );
  const { moved, proven } = renamed;
  const counts = `${moved.shares} shares, ${moved.receivedShares} received shares, ${moved.messages} messages and ${moved.members} members of groups`;
  const proof = asked === 0 ? 'no share to prove it by' : `proven by ${proven} of ${asked} shares`;
  return {
    kind: 'done',
    sentence: `${from} is ${to} now (${proof}): ${counts} were moved.`,
    record: { from, to, done: true, proven, ...moved },
  };
}

/** Moves a partner, with everything that is shared with it, to another host. */
export const PEER_RENAME_COMMAND: Command = {
  name: 'peer rename',
  arguments: ['old-host', 'new-host'],
  options: { 'old-host-gone': { type: 'boolean' }, yes: { type: 'boolean' } },
  optionsUsage: '[--old-host-gone] [--yes]',
  summary:
    'Moves everything that is shared with a partner to its new host. Both hosts are asked for their identity, and the new one has to show shares of the old one. Without --yes it only counts what would move.',
  async run(input, instance) {
    const move = await readHosts(input, instance);
    const { from, to } = move;
    const renames = new PeerRenameRepository(await instance.open());
    const known = await renames.find(move);
    if (!known) throw new CommandFailed(`There is no partner ${from}.`);
    if (input.options.yes === true) return rename(renames, move, instance);
    const plan = await renames.plan(move);
    return { kind: 'record', record: { from, to, done: known.isDone, ...plan } };
  },
};
