import { Test } from '@nestjs/testing';
import { createLogger, PlatformModule, readConfig } from '#platform';
import { createTestDatabase, type TestDatabase } from '#testing';
import { FederationClientModule } from './federation-client.module';
import { DiscoveryClient } from './discovery/discovery-client';
import { PartnerMessenger } from './messages/partner-messenger';
import { GuardedClient } from './egress/guarded-client';
import { PartnerFiles } from './files/partner-files';

describe('the module of the federation client', () => {
  let test: TestDatabase;
  beforeAll(async () => void (test = await createTestDatabase()));
  afterAll(() => test.drop());

  it('is strict by default, and closes its connections with the process', async () => {
    const config = readConfig({
      DATABASE_URL: test.url,
      ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    });
    const platform = PlatformModule.with(config, createLogger('silent'));
    const module = await Test.createTestingModule({ imports: [platform, FederationClientModule] }).compile();
    for (const part of [DiscoveryClient, PartnerMessenger, PartnerFiles])
      expect(module.get(part)).toBeInstanceOf(part);
    const client = module.get(GuardedClient);
    const call = () => client.exchange({ method: 'GET', url: 'https://127.0.0.1/' });
    await expect(call()).rejects.toMatchObject({ failure: 'blocked' });
    await module.close();
    await expect(call()).rejects.toMatchObject({ failure: 'closed' });
  });
});
