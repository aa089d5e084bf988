import { Global, Module } from '@nestjs/common';
import { FederationClientModule, PartnerFiles } from '#federation/client';
import { PartnerGateRepository, PersistenceModule } from '#persistence';
import { GatedFiles, REMOTE_FILES } from '#federation/remote-files';

/** Lets the tree ask partners for the content of received shares. Without it, only stored facts are shown. */
@Global()
@Module({
  imports: [FederationClientModule, PersistenceModule],
  providers: [
    {
      provide: REMOTE_FILES,
      inject: [PartnerFiles, PartnerGateRepository],
      useFactory: (files: PartnerFiles, gates: PartnerGateRepository) => new GatedFiles(files, gates),
    },
  ],
  exports: [REMOTE_FILES],
})
export class PartnerContentModule {}
