import { PARTNER_DECISIONS, readProfile } from '#federation/exchange';
import {
  hostIdentity,
  peerKeyOf,
  preferredScheme,
  type HostIdentity,
  type PeerProfile,
} from '#federation/protocol';
import { PeerAdministrationRepository } from '#persistence';
import { countOption, textOption, type Command, type CommandInput } from '../command';
import { CommandFailed } from '../command-failed';
import type { Instance } from '../instance';
import { recipientAt } from '../partner-question';

const DEFAULT_LIMIT = 1000;

const peersOf = async (instance: Instance): Promise<PeerAdministrationRepository> =>
  new PeerAdministrationRepository(await instance.open());

/** Pauses belong to hosts, while `peer show` looks for an address. */
const hostNamed = (input: CommandInput): HostIdentity => hostIdentity(recipientAt(input.arguments.host!));

const unknown = (host: string): CommandFailed => new CommandFailed(`There is no partner ${host}.`);

const list: Command = {
  name: 'peer list',
  arguments: [],
  options: { after: { type: 'string' }, limit: { type: 'string' } },
  optionsUsage: '[--after HOST] [--limit N]',
  summary: 'Lists partners with their waiting messages, 1000 unless --limit says otherwise.',
  async run(input, instance) {
    const limit = countOption(input, 'limit') ?? DEFAULT_LIMIT;
    const rows = await (await peersOf(instance)).list(textOption(input, 'after') ?? '', limit);
    return { kind: 'rows', rows: rows.map((row) => ({ ...row })) };
  },
};

const show: Command = {
  name: 'peer show',
  arguments: ['host'],
  options: {},
  optionsUsage: '',
  summary: 'Shows all details of a partner.',
  async run(input, instance) {
    const host = peerKeyOf(recipientAt(input.arguments.host!));
    const peer = await (await peersOf(instance)).find(host);
    if (!peer) throw unknown(host);
    const pinned = readProfile(peer.pinnedProfile);
    const profile = pinned ?? readProfile(peer.profile);
    const pinnedDialects = pinned?.dialects ?? null;
    const { chosen, ...known } = peer;
    const manner = profile ? mannerOf({ ...profile, signBy: chosen.signBy }, pinned !== undefined) : {};
    const unreadable = chosen.ignoresUnreadable ? 'ignored: an operator chose so' : 'refused: the rule';
    return {
      kind: 'record',
      record: { pinnedDialects, ...manner, unreadableSignatures: unreadable, ...known },
    };
  },
};

/** Facts about messages to a partner, each with its reason. */
function mannerOf(profile: PeerProfile, isPinned: boolean): Record<string, string> {
  const { dialects, provenDialect, product, signBy } = profile;
  const spoken = provenDialect ?? dialects.join(', then ');
  const dialectReason = isPinned
    ? 'an operator pinned it'
    : provenDialect
      ? 'it took this last'
      : `servers of its kind (${product}) take it`;
  const announces = profile.capabilities.includes('http-sig') ? 'announces' : 'does not announce';
  const signatureReason = signBy === null ? `it ${announces} http-sig` : 'an operator chose so';
  return {
    dialect: `${spoken}: ${dialectReason}`,
    signedBy: `${preferredScheme(profile)}: ${signatureReason}`,
  };
}

const pause: Command = {
  name: 'peer pause',
  arguments: ['host'],
  options: {},
  optionsUsage: '',
  summary: 'Pauses a partner: messages to it are kept until it is resumed.',
  async run(input, instance) {
    const host = hostNamed(input);
    if (!(await (await peersOf(instance)).pause(host))) throw unknown(host);
    return { kind: 'done', sentence: `${host} is paused.`, record: { host } };
  },
};

const resume: Command = {
  name: 'peer resume',
  arguments: ['host'],
  options: {},
  optionsUsage: '',
  summary: `${PARTNER_DECISIONS.resume}.`,
  async run(input, instance) {
    const host = hostNamed(input);
    if (!(await (await peersOf(instance)).resume(host))) throw unknown(host);
    return { kind: 'done', sentence: `${host} is resumed.`, record: { host } };
  },
};

export const PEER_COMMANDS: readonly Command[] = [list, show, pause, resume];
