import {
  buildRequest,
  dialectLadder,
  localCloudId,
  OUR_PATHS,
  SecretText,
  type FederatedCloudId,
  type OutgoingShare,
  type PeerProfile,
} from '#federation/protocol';
import { PublicAddress } from '#platform';
import type { Command } from '../command';
import { askPartner, recipientAt } from '../partner-question';

/** Placeholder for a secret: only the requests of discovery are sent. */
const PLACEHOLDER = new SecretText('[secret]');
const ALL_PERMISSIONS = 31;

/** Discovers the protocols of a partner's server, and shows what an offer to it would look like. */
export const PEER_PROBE_COMMAND: Command = {
  name: 'peer probe',
  arguments: ['host'],
  options: {},
  optionsUsage: '',
  summary: 'Discovers the protocols of a server, and shows the requests that would offer it a share.',
  async run(input, instance) {
    const recipient = recipientAt(input.arguments.host!);
    const { profile, questions } = await askPartner(recipient, instance.config);
    return {
      kind: 'record',
      record: {
        host: input.arguments.host,
        product: profile.product,
        address: profile.baseUrl,
        dialects: profile.dialects,
        questions,
        offers: offersTo(profile, recipient, new PublicAddress(instance.config).url),
      },
    };
  },
};

/** The requests in the order of attempts: the next one is sent only after a definite refusal. */
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
    description: '',
    permissions: ALL_PERMISSIONS,
    expiresAt: null,
    webdavUri: `${publicUrl}${OUR_PATHS.webdavById}/1`,
    mustExchange: false,
    mustUseMfa: false,
  };
  return dialectLadder(profile, 'offer').flatMap((dialect) => {
    const request = buildRequest(offer, dialect, profile);
    return request ? [`${dialect}: ${request.method} ${request.url} ${request.body.reveal()}`] : [];
  });
}
