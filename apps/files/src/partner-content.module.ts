import { Global, Module } from '@nestjs/common';
import { FederationClientModule, PartnerFiles } from '#federation/client';
import { REMOTE_FILES } from '#storage';

/** Lets the tree ask partners for the content of received shares: without it, what is known of them is all there is. */
@Global()
@Module({
  imports: [FederationClientModule],
  providers: [{ provide: REMOTE_FILES, useExisting: PartnerFiles }],
  exports: [REMOTE_FILES],
})
export class PartnerContentModule {}
