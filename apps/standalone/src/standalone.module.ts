import { Module } from '@nestjs/common';
import { CapabilitiesModule } from '../../capabilities/src/capabilities.module';
import { FilesModule } from '../../files/src';
import { ShareApiModule } from '../../share-api/src/share-api.module';

/** Every app of an instance in one process, on one port. */
@Module({ imports: [ShareApiModule, CapabilitiesModule, FilesModule] })
export class StandaloneModule {}
