import type { DiscoveryStep } from '#federation/client';
import { CloudIdInvalid, parseCloudId, type FederatedCloudId, type PeerProfile } from '#federation/protocol';
import type { Config } from '#platform';
import { CommandFailed, UsageError } from './command-failed';

/** Somebody at the partner that an operator names by its host. @throws UsageError */
export function recipientAt(host: string): FederatedCloudId {
  try {
    return parseCloudId(host.includes('@') ? host : `somebody@${host}`);
  } catch (error) {
    if (!(error instanceof CloudIdInvalid)) throw error;
    throw new UsageError('HOST is the part of a federated cloud id behind its @, such as cloud.example.org.');
  }
}

/**
 * Asks the server of this account what it speaks; nothing of it is kept.
 * @returns with the questions as lines to show
 * @throws CommandFailed when it is not a partner
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
