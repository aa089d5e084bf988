import {
  DiscoveryClient,
  GuardedClient,
  partnerFilesOn,
  PeerProfiles,
  secretsProof,
  SignedCalls,
  type PartnerFiles,
} from '#federation/client';
import { OwnKeys } from '#federation/signatures';
import {
  AccessTokenRepository,
  ChangeFeed,
  PeerRepository,
  SettingRepository,
  SigningKeyRepository,
} from '#persistence';
import { PublicAddress } from '#platform';
import { CachedPolicy } from '#settings';
import type { Instance } from './instance';

/** Requests shares from a server with their secrets. */
type SecretsProof = ReturnType<typeof secretsProof>;

/** Runs `work` with a client that requests shares as this instance would. */
export async function provingSecrets<T>(
  instance: Instance,
  work: (proof: SecretsProof) => Promise<T>,
): Promise<T> {
  const { FEDERATION_ALLOW_HTTP: allowHttp, FEDERATION_ALLOW_ADDRESSES: allowAddresses } = instance.config;
  const client = new GuardedClient({ rules: { allowHttp, allowAddresses } });
  try {
    return await work(secretsProof(await filesOf(client, instance), instance.secrets));
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
