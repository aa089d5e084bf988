import type { DiscoveryStep } from '#federation/client';
import { CloudIdInvalid, parseCloudId, type FederatedCloudId, type PeerProfile } from '#federation/protocol';
import type { Config } from '#platform';
import { CommandFailed, UsageError } from './command-failed';

/** A made-up person at the partner's host. @throws UsageError */
export function recipientAt(host: string): FederatedCloudId {
  try {
    return parseCloudId(host.includes('@') ? host : `somebody@${host}`);
  } catch (error) {
    if (!(error instanceof CloudIdInvalid)) throw error;
    throw new UsageError('HOST is the part of a federated cloud id behind its @, such as cloud.example.org.');
  }
}

/**
 * Discovers the server of this account, without storing the result.
 * @returns also the requests, as lines for display
 * @throws CommandFailed if it is not a partner
 */
export async function askPartner(
  recipient: FederatedCloudId,
  config: Config,
): Promise<{ readonly profile: PeerProfile; readonly questions: readonly string[] }> {
  const { DiscoveryClient, GuardedClient } = await import('#federation/client');
  const { FEDERATION_ALLOW_HTTP: allowHttp, FEDERATION_ALLOW_ADDRESSES: allowAddresses } = config;
  const client = new GuardedClient({ rules: { allowHttp, allowAddresses } });
  try {
    const { conclusion, steps } = await new DiscoveryClient(client, allowHttp).discover(recipient);
    const questions = steps.map(lineOf);
    if (conclusion.kind === 'partner') return { profile: conclusion.profile, questions };
    const reason = conclusion.kind === 'no-partner' ? 'it is no server that shares' : conclusion.errorClass;
    const server = recipient.raw.slice(recipient.raw.lastIndexOf('@') + 1);
    throw new CommandFailed(`${server} is not a partner: ${reason}.\n${questions.join('\n')}`);
  } finally {
    await client.close();
  }
}

const lineOf = ({ url, status, errorClass, foundDocument }: DiscoveryStep): string =>
  `GET ${url}: ${status ?? errorClass}${foundDocument ? ', a discovery document' : ''}`;
