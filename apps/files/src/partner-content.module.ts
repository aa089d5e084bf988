import { Global, Module } from '@nestjs/common';
import { FederationClientModule, PartnerFiles } from '#federation/client';
import { Database, PartnerGateRepository, PersistenceModule } from '#persistence';
import { GatedFiles, REMOTE_FILES } from '#storage';

/** Lets the tree ask partners for the content of received shares: without it, what is known of them is all there is. */
@Global()
@Module({
  imports: [FederationClientModule, PersistenceModule],
  providers: [
    {
      provide: REMOTE_FILES,
      inject: [PartnerFiles, Database],
      useFactory: (files: PartnerFiles, database: Database) =>
        new GatedFiles(files, new PartnerGateRepository(database)),
    },
  ],
  exports: [REMOTE_FILES],
})
export class PartnerContentModule {}
