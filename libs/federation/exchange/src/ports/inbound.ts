import type { ErrorClass, SecretText } from '#federation/protocol';
import type { PolicySource } from '#sharing';
import type { AcceptancePorts } from './acceptance';
import type { InboundPartners } from './inbound-partners';
import type { Secrets } from './secrets';
import type { OurShareStore } from './our-shares';
import type { ReceivedShareChanges } from './received-share-changes';

/** An account of ours that an offer is for. */
export interface Recipient {
  readonly uid: string;
  readonly displayName: string;
  readonly enabled: boolean;
}

/** Answer of the recipient's server to an offer, if it came in time. */
export interface OfferVerdict {
  readonly errorClass: ErrorClass | null;
  readonly message: string | null;
}

/** Everything that the handling of partners' messages needs. */
export interface InboundPorts {
  readonly policy: PolicySource;
  readonly accounts: {
    find(uid: string): Promise<Recipient | undefined>;
    /** Members of a group here, at most `most`; none if there is no such group. */
    membersOf(gid: string, most: number): Promise<readonly Recipient[]>;
  };
  readonly partners: InboundPartners;
  readonly received: ReceivedShareChanges;
  readonly ours: OurShareStore;
  readonly acceptance: AcceptancePorts;
  readonly secrets: Secrets;
  /** A new shared secret. */
  newSecret(): SecretText;
  /** Waits a short time for the answer to an offer of ours; undefined if there is none yet. */
  verdict(offerId: number): Promise<OfferVerdict | undefined>;
  /** Our own address, without a trailing slash. */
  readonly publicUrl: string;
}
