import { PARTNER_DECISIONS, pinnedTo, readProfile } from '#federation/exchange';
import {
  DIALECT_NAMES,
  peerKeyOf,
  type Dialect,
  type FederatedCloudId,
  type PeerProfile,
} from '#federation/protocol';
import { PeerAdministrationRepository } from '#persistence';
import type { Command } from '../command';
import { CommandFailed, UsageError } from '../command-failed';
import type { Instance } from '../instance';
import { askPartner, recipientAt } from '../partner-question';

/** @throws UsageError */
function readDialects(words: readonly string[]): readonly Dialect[] {
  const dialects = DIALECT_NAMES.filter((dialect) => words.includes(dialect));
  if (dialects.length !== words.length)
    throw new UsageError(`A DIALECT is one of ${DIALECT_NAMES.join(', ')}, each at most once.`);
  // In the order of attempts.
  return words as readonly Dialect[];
}

/** The profile from the worker's discovery, or from one that is made now. */
async function profileOf(
  recipient: FederatedCloudId,
  peers: PeerAdministrationRepository,
  { config }: Instance,
): Promise<PeerProfile> {
  const known = await peers.find(peerKeyOf(recipient));
  return readProfile(known?.profile) ?? (await askPartner(recipient, config)).profile;
}

const pin: Command = {
  name: 'peer pin',
  arguments: ['host'],
  rest: 'dialect',
  options: {},
  optionsUsage: '',
  summary: `${PARTNER_DECISIONS.pin}: ${DIALECT_NAMES.join(', ')}.`,
  async run(input, instance) {
    const dialects = readDialects(input.rest);
    const recipient = recipientAt(input.arguments.host!);
    const host = peerKeyOf(recipient);
    const peers = new PeerAdministrationRepository(await instance.open());
    const profile = await profileOf(recipient, peers, instance);
    const pinned = pinnedTo(profile, dialects);
    if (pinned.kind === 'no-address')
      throw new CommandFailed(`${host} has no address for ${pinned.dialect}.`);
    await peers.pin(host, pinned.profile);
    const sentence = `${host} is spoken to in ${dialects.join(', then ')} until it is unpinned.`;
    return { kind: 'done', sentence, record: { host, dialects } };
  },
};

const unpin: Command = {
  name: 'peer unpin',
  arguments: ['host'],
  options: {},
  optionsUsage: '',
  summary: `${PARTNER_DECISIONS.unpin}.`,
  async run(input, instance) {
    const host = peerKeyOf(recipientAt(input.arguments.host!));
    const peers = new PeerAdministrationRepository(await instance.open());
    if (!(await peers.unpin(host))) throw new CommandFailed(`Nothing is pinned for ${host}.`);
    return { kind: 'done', sentence: `${host} is unpinned.`, record: { host } };
  },
};

export const PEER_PIN_COMMANDS: readonly Command[] = [pin, unpin];
