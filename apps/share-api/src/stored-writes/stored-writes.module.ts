import { Module } from '@nestjs/common';
import { OcsHttpModule } from '#ocs/http';
import { PersistenceModule } from '#persistence';
import { StoredWriteList } from './stored-write-list';
import { StoredWritesController } from './stored-writes.controller';

/** Files that wait to be written into folders of partners. */
@Module({
  imports: [OcsHttpModule, PersistenceModule],
  controllers: [StoredWritesController],
  providers: [StoredWriteList],
})
export class StoredWritesModule {}
