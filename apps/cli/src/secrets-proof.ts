import {
  DiscoveryClient,
  GuardedClient,
  partnerFilesOn,
  PeerProfiles,
  SignedCalls,
  type PartnerFiles,
} from '#federation/client';
import { OwnKeys } from '#federation/own-keys';
import {
  AccessTokenRepository,
  ChangeFeed,
  PeerRepository,
  SettingRepository,
  SigningKeyRepository,
  type MovedShareRow,
} from '#persistence';
import { PublicAddress, randomToken } from '#platform';
import { CachedPolicy } from '#settings';
import { RemoteFailure, ROOT } from '#storage';
import { CommandFailed } from './command-failed';
import type { Instance } from './instance';

const PROBE_MS = 10_000;
/** Length of a token that belongs to no share: a server that shows content for it does not check secrets. */
const STRANGER_LENGTH = 32;

/**
 * Has a server prove that it knows the secrets of shares: it shows at least one of them, and does not show it to
 * whoever brings another secret.
 * @param shares as they would be reached there
 * @returns how many it showed
 * @throws CommandFailed
 */
export async function proveSecrets(shares: readonly MovedShareRow[], instance: Instance): Promise<number> {
  const { FEDERATION_ALLOW_HTTP: allowHttp, FEDERATION_ALLOW_ADDRESSES: allowAddresses } = instance.config;
  const client = new GuardedClient({ rules: { allowHttp, allowAddresses } });
  try {
    const files = await filesOf(client, instance);
    const shown: MovedShareRow[] = [];
    for (const share of shares) if (await isShown(files, share)) shown.push(share);
    const [first] = shown;
    if (!first)
      throw new CommandFailed(
        `${shares[0]!.hostKey} shows none of ${shares.length} shares: nothing was done.`,
      );
    const sealedSecret = instance.secrets.seal(randomToken(STRANGER_LENGTH));
    if (await isShown(files, { ...first, sealedSecret }))
      throw new CommandFailed(
        `${first.hostKey} shows a share to anybody: that proves nothing, and nothing was done.`,
      );
    return shown.length;
  } finally {
    await client.close();
  }
}

async function filesOf(client: GuardedClient, instance: Instance): Promise<PartnerFiles> {
  const { config, secrets } = instance;
  const database = await instance.open();
  const peers = new PeerRepository(database);
  const feed = new ChangeFeed(database.options.url);
  const address = new PublicAddress(config);
  const keys = new OwnKeys(new SigningKeyRepository(database), feed, secrets, address);
  return partnerFilesOn({
    client,
    calls: new SignedCalls(client, keys),
    peers,
    profiles: new PeerProfiles(peers, new DiscoveryClient(client, config.FEDERATION_ALLOW_HTTP)),
    tokens: new AccessTokenRepository(database),
    policy: new CachedPolicy(new SettingRepository(database), feed, config),
    secrets,
    clientId: () => new URL(address.url).host,
  });
}

async function isShown(files: PartnerFiles, share: MovedShareRow): Promise<boolean> {
  try {
    return (await files.probe(share, ROOT, 0, PROBE_MS)).length > 0;
  } catch (error) {
    if (error instanceof RemoteFailure) return false;
    throw error;
  }
}
