import type { AccessTokenRepository, PeerRepository } from '#persistence';
import type { SecretBox } from '#platform';
import type { CachedPolicy } from '#settings';
import type { GuardedClient } from '../egress/guarded-client';
import type { SignedCalls } from '../messages/signed-calls';
import type { PeerProfiles } from '../peers/peer-profiles';
import { AccessTokens } from './access-tokens';
import { ContentClient } from './content-client';
import { PartnerFiles, type TransferLimits } from './partner-files';
import { SharedContents } from './shared-content';

export interface PartnerFilesParts {
  /** For content: every reader and writer holds one of its connections. */
  readonly client: GuardedClient;
  /** For the exchange of secrets. */
  readonly calls: SignedCalls;
  readonly peers: PeerRepository;
  readonly profiles: PeerProfiles;
  readonly tokens: AccessTokenRepository;
  readonly policy: CachedPolicy;
  readonly secrets: SecretBox;
  /** Our own host, as partners know it. */
  readonly clientId: () => string;
  /** Default: the usual limits. */
  readonly limits?: TransferLimits;
}

/** Builds the files of partners from its parts. */
export function partnerFilesOn(parts: PartnerFilesParts): PartnerFiles {
  const { client, calls, peers, profiles, tokens, policy, secrets, clientId, limits } = parts;
  const contents = new SharedContents(peers, profiles, policy, secrets);
  const contentClient = new ContentClient(client, new AccessTokens(tokens, calls, secrets, clientId));
  return new PartnerFiles(contents, contentClient, limits);
}
