import { Module } from '@nestjs/common';
import { FilesModule } from './files.module';
import { PartnerContentModule } from './partner-content.module';

/** The files app with access to partners. */
@Module({ imports: [PartnerContentModule, FilesModule] })
export class FilesServerModule {}
