import { DiscoveryClient, GuardedClient, type DiscoveryStep } from '#federation/client';
import {
  buildRequest,
  CloudIdInvalid,
  dialectLadder,
  localCloudId,
  OUR_PATHS,
  parseCloudId,
  SecretText,
  type FederatedCloudId,
  type OutgoingShare,
  type PeerProfile,
} from '#federation/protocol';
import { PublicAddress, type Config } from '#platform';
import type { Command } from '../command';
import { CommandFailed, UsageError } from '../command-failed';

/** In place of a secret: nothing is sent but the questions of discovery. */
const PLACEHOLDER = new SecretText('[secret]');
const ALL_PERMISSIONS = 31;

/** Asks a partner's server what it speaks, and shows what an offer to it would look like. */
export const PEER_PROBE_COMMAND: Command = {
  name: 'peer probe',
  arguments: ['host'],
  options: {},
  optionsUsage: '',
  summary: 'Asks a server what it speaks, and shows the requests that would offer it a share.',
  async run(input, instance) {
    const recipient = recipientAt(input.arguments.host!);
    const { conclusion, steps } = await discover(recipient, instance.config);
    if (conclusion.kind !== 'partner') {
      const reason = conclusion.kind === 'no-partner' ? 'it is no server that shares' : conclusion.errorClass;
      throw new CommandFailed(
        `${input.arguments.host} is no partner: ${reason}.\n${steps.map(lineOf).join('\n')}`,
      );
    }
    const { profile } = conclusion;
    return {
      kind: 'record',
      record: {
        host: input.arguments.host,
        product: profile.product,
        address: profile.baseUrl,
        dialects: profile.dialects,
        questions: steps.map(lineOf),
        offers: offersTo(profile, recipient, new PublicAddress(instance.config).url),
      },
    };
  },
};

/** @throws UsageError */
function recipientAt(host: string): FederatedCloudId {
  try {
    return parseCloudId(host.includes('@') ? host : `somebody@${host}`);
  } catch (error) {
    if (!(error instanceof CloudIdInvalid)) throw error;
    throw new UsageError('HOST is the part of a federated cloud id behind its @, such as cloud.example.org.');
  }
}

async function discover(recipient: FederatedCloudId, config: Config) {
  const { FEDERATION_ALLOW_HTTP: allowHttp, FEDERATION_ALLOW_ADDRESSES: allowAddresses } = config;
  const client = new GuardedClient({ rules: { allowHttp, allowAddresses } });
  try {
    return await new DiscoveryClient(client, allowHttp).discover(recipient);
  } finally {
    await client.close();
  }
}

const lineOf = ({ url, status, errorClass, foundDocument }: DiscoveryStep): string =>
  `GET ${url}: ${status ?? errorClass}${foundDocument ? ', a discovery document' : ''}`;

/** The requests in the order in which they would be tried: the next one only after a definite no. */
function offersTo(profile: PeerProfile, shareWith: FederatedCloudId, publicUrl: string) {
  const sender = { cloudId: localCloudId('alice', publicUrl), displayName: 'Alice' };
  const offer: OutgoingShare = {
    kind: 'offer',
    shareWith,
    name: 'Example',
    nodeKind: 'folder',
    providerId: '1',
    sharedSecret: PLACEHOLDER,
    owner: sender,
    sender,
    permissions: ALL_PERMISSIONS,
    expiresAt: null,
    webdavUri: `${publicUrl}${OUR_PATHS.webdavById}/1`,
  };
  return dialectLadder(profile, 'offer').flatMap((dialect) => {
    const request = buildRequest(offer, dialect, profile);
    return request ? [`${dialect}: ${request.method} ${request.url} ${request.body.reveal()}`] : [];
  });
}
