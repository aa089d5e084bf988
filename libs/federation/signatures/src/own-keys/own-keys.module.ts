import { Module } from '@nestjs/common';
import { ChangeFeed, PersistenceModule, SigningKeyRepository } from '#persistence';
import { PublicAddress, SecretBox } from '#platform';
import { OwnKeys } from './own-keys';

/** Our signing keys, one set of them in a process. */
@Module({
  imports: [PersistenceModule],
  providers: [
    SigningKeyRepository,
    {
      provide: OwnKeys,
      inject: [SigningKeyRepository, ChangeFeed, SecretBox, PublicAddress],
      useFactory: (
        keys: SigningKeyRepository,
        feed: ChangeFeed,
        secrets: SecretBox,
        address: PublicAddress,
      ) => new OwnKeys(keys, feed, secrets, address),
    },
  ],
  exports: [OwnKeys],
})
export class OwnKeysModule {}
