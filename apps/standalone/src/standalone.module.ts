import { Module } from '@nestjs/common';
import { CapabilitiesModule } from '../../capabilities/src/capabilities.module';
import { FederationApiModule } from '../../federation-api/src/federation-api.module';
import { FederationWorkerModule, PartnersModule } from '../../federation-worker/src';
import { FilesServerModule } from '../../files/src';
import { ShareApiModule } from '../../share-api/src/share-api.module';
import { WebModule } from '../../web/src/web.module';

/** Every app of an instance in one process, on one port. */
@Module({
  imports: [
    ShareApiModule,
    CapabilitiesModule,
    FilesServerModule,
    FederationApiModule,
    WebModule,
    FederationWorkerModule.with(PartnersModule),
  ],
})
export class StandaloneModule {}
