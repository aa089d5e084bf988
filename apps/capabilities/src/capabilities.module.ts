import { Module } from '@nestjs/common';
import { OcsHttpModule } from '#ocs/http';
import { CapabilitiesController } from './capabilities.controller';
import { CapabilityEntriesController } from './capability-entries.controller';
import { IssuerController } from './issuer.controller';
import { RenderedCapabilities } from './rendered-capabilities';
import { StatusController } from './status.controller';

/** Capabilities, the registry of other apps' entries, status.php. */
@Module({
  imports: [OcsHttpModule],
  controllers: [CapabilitiesController, CapabilityEntriesController, IssuerController, StatusController],
  providers: [RenderedCapabilities],
})
export class CapabilitiesModule {}
