import { Inject, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import { OwnKeys, OwnKeysModule } from '#federation/signatures';
import { AccessTokenRepository, PeerRepository, PersistenceModule } from '#persistence';
import { CONFIG, PublicAddress, SecretBox, type Config } from '#platform';
import { CachedPolicy, SettingsModule } from '#settings';
import { PartnerMessenger } from './messages/partner-messenger';
import { DirectoryServices } from './directories/directory-services';
import { DiscoveryClient } from './discovery/discovery-client';
import { GuardedClient, type EgressLimits } from './egress/guarded-client';
import { SeenCertificates } from './egress/seen-certificates';
import { PartnerFiles } from './files/partner-files';
import { partnerFilesOn } from './files/partner-files-on';
import { PartnerLinks } from './links/partner-links';
import { SignedCalls } from './messages/signed-calls';
import { AddressBookCalls } from './trust/address-book-calls';
import { PartnerTrustCalls } from './trust/partner-trust-calls';
import { WebFingerClient } from './people/web-finger-client';
import { PeerProfiles } from './peers/peer-profiles';

/**
 * Content has connections of its own. A download takes as long as its reader wants, and no message or probe should wait behind
 * eight slow downloads.
 */
const CONTENT_CLIENT = Symbol('guarded client for content');
const CONTENT_LIMITS: Partial<EgressLimits> = { connectionsPerOrigin: 64 };

const clientBy = (
  config: Config,
  certificates: SeenCertificates,
  limits: Partial<EgressLimits> = {},
): GuardedClient =>
  new GuardedClient({
    certificates,
    rules: {
      allowHttp: config.FEDERATION_ALLOW_HTTP,
      allowAddresses: config.FEDERATION_ALLOW_ADDRESSES,
    },
    limits,
  });

/** Closes the connections to partners when the process ends. */
@Injectable()
class EgressShutdown implements OnApplicationShutdown {
  constructor(
    private readonly client: GuardedClient,
    @Inject(CONTENT_CLIENT) private readonly contentClient: GuardedClient,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.client.close(), this.contentClient.close()]);
  }
}

const FILES = [
  AccessTokenRepository,
  {
    provide: CONTENT_CLIENT,
    inject: [CONFIG, SeenCertificates],
    useFactory: (config: Config, seen: SeenCertificates) => clientBy(config, seen, CONTENT_LIMITS),
  },
  {
    provide: PartnerFiles,
    inject: [
      CONTENT_CLIENT,
      SignedCalls,
      PeerRepository,
      PeerProfiles,
      AccessTokenRepository,
      CachedPolicy,
      SecretBox,
      PublicAddress,
    ],
    useFactory: (
      client: GuardedClient,
      calls: SignedCalls,
      peers: PeerRepository,
      profiles: PeerProfiles,
      tokens: AccessTokenRepository,
      policy: CachedPolicy,
      secrets: SecretBox,
      address: PublicAddress,
    ) => {
      const clientId = (): string => new URL(address.url).host;
      return partnerFilesOn({ client, calls, peers, profiles, tokens, policy, secrets, clientId });
    },
  },
];

/** The guarded client as configured, and the services that use it. */
@Module({
  imports: [PersistenceModule, SettingsModule, OwnKeysModule],
  providers: [
    SeenCertificates,
    {
      provide: GuardedClient,
      inject: [CONFIG, SeenCertificates],
      useFactory: (config: Config, seen: SeenCertificates) => clientBy(config, seen),
    },
    {
      provide: DiscoveryClient,
      inject: [GuardedClient, CONFIG],
      useFactory: (client: GuardedClient, config: Config) =>
        new DiscoveryClient(client, config.FEDERATION_ALLOW_HTTP),
    },
    {
      provide: SignedCalls,
      inject: [GuardedClient, OwnKeys],
      useFactory: (client: GuardedClient, keys: OwnKeys) => new SignedCalls(client, keys),
    },
    {
      provide: PartnerMessenger,
      inject: [SignedCalls],
      useFactory: (calls: SignedCalls) => new PartnerMessenger(calls),
    },
    {
      provide: PartnerTrustCalls,
      inject: [SignedCalls],
      useFactory: (calls: SignedCalls) => new PartnerTrustCalls(calls),
    },
    {
      provide: AddressBookCalls,
      inject: [GuardedClient],
      useFactory: (client: GuardedClient) => new AddressBookCalls(client),
    },
    {
      provide: DirectoryServices,
      inject: [GuardedClient],
      useFactory: (client: GuardedClient) => new DirectoryServices(client),
    },
    {
      provide: PartnerLinks,
      inject: [SignedCalls],
      useFactory: (calls: SignedCalls) => new PartnerLinks(calls),
    },
    {
      provide: WebFingerClient,
      inject: [GuardedClient, CONFIG],
      useFactory: (client: GuardedClient, config: Config) =>
        new WebFingerClient(client, config.FEDERATION_ALLOW_HTTP),
    },
    PeerRepository,
    PeerProfiles,
    ...FILES,
    EgressShutdown,
  ],
  exports: [
    SeenCertificates,
    GuardedClient,
    DirectoryServices,
    DiscoveryClient,
    PartnerMessenger,
    PartnerTrustCalls,
    AddressBookCalls,
    PartnerLinks,
    PeerProfiles,
    WebFingerClient,
    PartnerFiles,
  ],
})
export class FederationClientModule {}
