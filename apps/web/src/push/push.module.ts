import { Module } from '@nestjs/common';
import { IdentityModule } from '#identity';
import { PushAudienceRepository, PushNewsRepository } from '#persistence';
import { SettingsModule } from '#settings';
import { PushChanges } from './push-changes';
import { PushGateway } from './push-gateway';
import { PushHub } from './push-hub';
import { PushController } from './push.controller';

/** News for clients and pages that stay connected. */
@Module({
  imports: [IdentityModule, SettingsModule],
  controllers: [PushController],
  providers: [PushAudienceRepository, PushNewsRepository, PushHub, PushChanges, PushGateway],
})
export class PushModule {}
