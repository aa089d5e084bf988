import { HANDSHAKE_TOKEN_LENGTH, peerKeyOf } from '#federation/protocol';
import { HandshakeRepository, PeerTrustRepository, type Database, type RegardedPeer } from '#persistence';
import { randomToken } from '#platform';
import { PARTNER_TRUSTS, type PartnerTrust } from '#sharing';
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

/** @throws UsageError */
function readDirection({ options }: CommandInput): 'both' | 'incoming' | 'outgoing' {
  if (options.incoming === true && options.outgoing === true)
    throw new UsageError('Without --incoming and --outgoing both directions are meant.');
  if (options.incoming === true) return 'incoming';
  return options.outgoing === true ? 'outgoing' : 'both';
}

async function beginHandshake(database: Database, instance: Instance, peer: RegardedPeer): Promise<void> {
  const token = instance.secrets.seal(randomToken(HANDSHAKE_TOKEN_LENGTH));
  await new HandshakeRepository(database).begin(peer.id, token);
}

const sentenceOf = ({ hostKey, trust, outgoingTrust }: RegardedPeer): string =>
  outgoingTrust === null
    ? `${hostKey} is ${trust} now.`
    : `${hostKey} is ${trust} now for what it offers, and ${outgoingTrust} for what it is given.`;

/** Says how a partner is regarded; every replica goes by it at once. */
export const PEER_TRUST_COMMAND: Command = {
  name: 'peer trust',
  arguments: ['host', 'trust'],
  options: {
    incoming: { type: 'boolean' },
    outgoing: { type: 'boolean' },
    handshake: { type: 'boolean' },
  },
  optionsUsage: '[--incoming | --outgoing] [--handshake]',
  summary: `Says how a partner is regarded: ${PARTNER_TRUSTS.join(', ')}. With --handshake it is asked for a secret in common, as ownCloud and Nextcloud do among trusted servers.`,
  async run(input, instance) {
    const trust = readTrust(input.arguments.trust!);
    const direction = readDirection(input);
    const withHandshake = input.options.handshake === true;
    if (withHandshake && (trust !== 'trusted' || direction === 'outgoing'))
      throw new UsageError('--handshake goes with trusted only.');
    const host = peerKeyOf(recipientAt(input.arguments.host!));
    const database = await instance.open();
    const peer = await new PeerTrustRepository(database).set(host, trust, direction);
    if (withHandshake) await beginHandshake(database, instance, peer);
    return { kind: 'done', sentence: sentenceOf(peer), record: { ...peer, handshake: withHandshake } };
  },
};
