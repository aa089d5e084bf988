import { Test } from '@nestjs/testing';
import { createLogger, PlatformModule, readConfig } from '#platform';
import { FederationClientModule } from './federation-client.module';
import { DiscoveryClient } from './discovery/discovery-client';
import { PartnerMessenger } from './delivery/partner-messenger';
import { GuardedClient } from './egress/guarded-client';

describe('the module of the federation client', () => {
  it('is strict by default, and closes its connections with the process', async () => {
    const platform = PlatformModule.with(readConfig({}), createLogger('silent'));
    const module = await Test.createTestingModule({ imports: [platform, FederationClientModule] }).compile();
    expect(module.get(DiscoveryClient)).toBeInstanceOf(DiscoveryClient);
    expect(module.get(PartnerMessenger)).toBeInstanceOf(PartnerMessenger);
    const client = module.get(GuardedClient);
    const call = () => client.exchange({ method: 'GET', url: 'https://127.0.0.1/' });
    await expect(call()).rejects.toMatchObject({ failure: 'blocked-address' });
    await module.close();
    await expect(call()).rejects.toMatchObject({ failure: 'closed' });
  });
});
