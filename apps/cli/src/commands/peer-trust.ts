import { HANDSHAKE_TOKEN_LENGTH, hostIdentity, peerKeyOf } from '#federation/protocol';
import { tokenToAskWith } from '#identity';
import {
  HandshakeRepository,
  PeerRepository,
  PeerTrustRepository,
  type Database,
  type RegardedPeer,
} from '#persistence';
import { randomToken } from '#platform';
import { PARTNER_TRUSTS, SIGNATURE_DEMANDS, type PartnerTrust, type SignatureDemand } from '#sharing';
import type { Command, CommandInput } from '../command';
import { UsageError } from '../command-failed';
import type { Instance } from '../instance';
import { recipientAt } from '../partner-question';

/** @throws UsageError */
function readTrust(word: string): PartnerTrust {
  const trust = PARTNER_TRUSTS.find((known) => known === word);
  if (!trust) throw new UsageError(`TRUST is one of ${PARTNER_TRUSTS.join(', ')}.`);
  return trust;
}

/** @returns null if the setting decides, undefined to change nothing @throws UsageError */
function readDemand({ options }: CommandInput): SignatureDemand | null | undefined {
  const word = options.signatures;
  if (word === undefined) return undefined;
  const demand = word === 'default' ? null : SIGNATURE_DEMANDS.find((known) => known === word);
  if (demand === undefined)
    throw new UsageError(`--signatures is one of ${SIGNATURE_DEMANDS.join(', ')}, default.`);
  return demand;
}

/** @throws UsageError */
function readDirection({ options }: CommandInput): 'both' | 'incoming' | 'outgoing' {
  if (options.incoming === true && options.outgoing === true)
    throw new UsageError('Without --incoming and --outgoing both directions are meant.');
  if (options.incoming === true) return 'incoming';
  return options.outgoing === true ? 'outgoing' : 'both';
}

/** Begins to agree on a secret with the installation at this address. */
async function beginHandshake(database: Database, instance: Instance, hostKey: string): Promise<void> {
  const peer = await new PeerRepository(database).ensure(hostKey);
  const token = tokenToAskWith(() => randomToken(HANDSHAKE_TOKEN_LENGTH));
  await new HandshakeRepository(database).begin(peer.id, instance.secrets.seal(token));
}

const sentenceOf = ({ hostKey, trust, outgoingTrust }: RegardedPeer): string =>
  outgoingTrust === null
    ? `${hostKey} is ${trust} now.`
    : `${hostKey} is ${trust} now for what it offers, and ${outgoingTrust} for what it is given.`;

/** Sets the trust in a host; every replica follows at once. */
export const PEER_TRUST_COMMAND: Command = {
  name: 'peer trust',
  arguments: ['host', 'trust'],
  options: {
    incoming: { type: 'boolean' },
    outgoing: { type: 'boolean' },
    handshake: { type: 'boolean' },
    signatures: { type: 'string' },
  },
  optionsUsage: '[--incoming | --outgoing] [--handshake] [--signatures DEMAND]',
  summary: `Sets the trust of a host, with all its folders and spellings: ${PARTNER_TRUSTS.join(', ')}. --handshake agrees on a common secret with it, as trusted servers of ownCloud and Nextcloud do. --signatures decides whether its messages have to be signed: ${SIGNATURE_DEMANDS.join(', ')}, default.`,
  async run(input, instance) {
    const trust = readTrust(input.arguments.trust!);
    const direction = readDirection(input);
    const demand = readDemand(input);
    const withHandshake = input.options.handshake === true;
    if (withHandshake && (trust !== 'trusted' || direction === 'outgoing'))
      throw new UsageError('--handshake goes with trusted only.');
    const named = recipientAt(input.arguments.host!);
    const host = hostIdentity(named);
    const database = await instance.open();
    const partners = new PeerTrustRepository(database);
    const regarded = await partners.set(host, trust, direction);
    const peer = demand === undefined ? regarded : await partners.demand(host, demand);
    if (withHandshake) await beginHandshake(database, instance, peerKeyOf(named));
    return { kind: 'done', sentence: sentenceOf(peer), record: { ...peer, handshake: withHandshake } };
  },
};
