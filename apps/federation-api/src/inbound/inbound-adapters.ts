import { Inject, Injectable } from '@nestjs/common';
import type { InboundPorts, OfferVerdict } from '#federation/exchange';
import { SecretText } from '#federation/protocol';
import { AccountDirectory } from '#identity';
import { GroupRepository } from '#persistence';
import { CONFIG, PublicAddress, randomToken, SecretBox, type Config } from '#platform';
import { Verdicts } from '#queue';
import { CachedPolicy } from '#settings';
import { FEDERATED_SECRET_LENGTH } from '#sharing';
import { ReceivedShareAcceptance } from '#storage';
import { StoredOurShares } from './stored-our-shares';
import { StoredPartners } from './stored-partners';
import { StoredReceivedShares } from './stored-received-shares';

/** The ports of the exchange, implemented on the database, the queue and the storage. */
@Injectable()
export class InboundAdapters implements InboundPorts {
  constructor(
    readonly policy: CachedPolicy,
    private readonly directory: AccountDirectory,
    private readonly groups: GroupRepository,
    readonly partners: StoredPartners,
    readonly received: StoredReceivedShares,
    readonly ours: StoredOurShares,
    readonly acceptance: ReceivedShareAcceptance,
    readonly secrets: SecretBox,
    private readonly verdicts: Verdicts,
    private readonly address: PublicAddress,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  readonly accounts: InboundPorts['accounts'] = {
    find: (uid) => this.directory.find(uid),
    membersOf: (gid, most) => this.groups.people(gid, most),
  };

  /** Known only after the server listens. */
  get publicUrl(): string {
    return this.address.url;
  }

  newSecret(): SecretText {
    return new SecretText(randomToken(FEDERATED_SECRET_LENGTH));
  }

  verdict(offerId: number): Promise<OfferVerdict | undefined> {
    return this.verdicts.wait(offerId, this.config.FEDERATION_SYNC_WAIT / 2);
  }
}
