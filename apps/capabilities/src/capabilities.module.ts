import { Module } from '@nestjs/common';
import { OcsHttpModule } from '#ocs/http';
import { FoundByMailRepository } from '#persistence';
import { CapabilitiesController } from './capabilities.controller';
import { CapabilityEntriesController } from './capability-entries.controller';
import { IssuerController } from './issuer.controller';
import { PeopleByMail } from './people-by-mail';
import { RenderedCapabilities } from './rendered-capabilities';
import { StatusController } from './status.controller';
import { WebFingerController } from './web-finger.controller';

/** Capabilities, the registry of other apps' entries, status.php. */
@Module({
  imports: [OcsHttpModule],
  controllers: [
    CapabilitiesController,
    CapabilityEntriesController,
    IssuerController,
    StatusController,
    WebFingerController,
  ],
  providers: [FoundByMailRepository, PeopleByMail, RenderedCapabilities],
})
export class CapabilitiesModule {}
