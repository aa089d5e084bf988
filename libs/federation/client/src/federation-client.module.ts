import { Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type Config } from '#platform';
import { PartnerMessenger } from './delivery/partner-messenger';
import { DiscoveryClient } from './discovery/discovery-client';
import { GuardedClient } from './egress/guarded-client';

/** Closes the connections to partners with the process. */
@Injectable()
export class EgressShutdown implements OnApplicationShutdown {
  constructor(private readonly client: GuardedClient) {}

  onApplicationShutdown(): Promise<void> {
    return this.client.close();
  }
}

/** The guarded client by configuration, and what is built on it. */
@Module({
  providers: [
    {
      provide: GuardedClient,
      inject: [CONFIG],
      useFactory: (config: Config) =>
        new GuardedClient({
          rules: {
            allowHttp: config.FEDERATION_ALLOW_HTTP,
            allowAddresses: config.FEDERATION_ALLOW_ADDRESSES,
          },
        }),
    },
    {
      provide: DiscoveryClient,
      inject: [GuardedClient, CONFIG],
      useFactory: (client: GuardedClient, config: Config) =>
        new DiscoveryClient(client, config.FEDERATION_ALLOW_HTTP),
    },
    {
      provide: PartnerMessenger,
      inject: [GuardedClient],
      useFactory: (client: GuardedClient) => new PartnerMessenger(client),
    },
    EgressShutdown,
  ],
  exports: [GuardedClient, DiscoveryClient, PartnerMessenger],
})
export class FederationClientModule {}
