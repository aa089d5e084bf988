import { Module } from '@nestjs/common';
import { FilesModule } from './files.module';
import { PartnerContentModule } from './partner-content.module';

/** Files as they are served: with partners at the other end. */
@Module({ imports: [PartnerContentModule, FilesModule] })
export class FilesServerModule {}
