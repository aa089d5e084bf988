import {
  DiscoveryClient,
  GuardedClient,
  partnerFilesOn,
  PeerProfiles,
  SignedCalls,
  type PartnerFiles,
} from '#federation/client';
import type { RenamePorts } from '#federation/exchange';
import { OwnKeys } from '#federation/signatures';
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
import { RemoteFailure } from '#federation/remote-files';
import { ROOT } from '#storage';
import type { Instance } from './instance';

const PROBE_MS = 10_000;
/** Length of a token without a share: a server that shows content for it does not check secrets. */
const RANDOM_SECRET_LENGTH = 32;

/** Requests shares from a server with their secrets. */
export type SecretsProof = Pick<RenamePorts<MovedShareRow, unknown>, 'shows' | 'showsWithoutSecret'>;

/** Runs `work` with a client that requests shares as this instance would. */
export async function provingSecrets<T>(
  instance: Instance,
  work: (proof: SecretsProof) => Promise<T>,
): Promise<T> {
  const { FEDERATION_ALLOW_HTTP: allowHttp, FEDERATION_ALLOW_ADDRESSES: allowAddresses } = instance.config;
  const client = new GuardedClient({ rules: { allowHttp, allowAddresses } });
  try {
    const files = await filesOf(client, instance);
    return await work({
      shows: (share) => isShown(files, share),
      showsWithoutSecret: (share) =>
        isShown(files, { ...share, sealedSecret: instance.secrets.seal(randomToken(RANDOM_SECRET_LENGTH)) }),
    });
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
