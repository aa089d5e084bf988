import type { AcceptanceAnswer, PeerProfile, PresentedPerson, SecretText } from '#federation/protocol';
import type { PolicySource } from '#sharing';
import type { CallingAccounts, ReachedPartner, ReachedPartners } from './reached-partners';
import type { Secrets } from './secrets';

/** An invitation of a partner that one of our users accepted; its server has to be notified. */
export interface UnreportedAcceptance {
  readonly id: number;
  readonly uid: string;
  readonly peerId: number;
  readonly sealedToken: Buffer;
}

/** The call that tells of an acceptance. */
export interface AcceptanceCall {
  /** How it checks signatures. */
  readonly partner: Pick<PeerProfile, 'capabilities' | 'signBy'>;
  /** Without a trailing slash. */
  readonly ocmEndPoint: string;
  /** The partner's host, at which its user ids are. */
  readonly hostKey: string;
  readonly token: SecretText;
  /** Our own host. */
  readonly provider: string;
  readonly person: PresentedPerson;
}

/** Content of the message to a partner about an acceptance. */
export interface ReportAcceptancePorts<Partner extends ReachedPartner = ReachedPartner> {
  readonly policy: PolicySource;
  readonly partners: ReachedPartners<Partner>;
  readonly accounts: CallingAccounts;
  readonly acceptances: {
    /** undefined where it is settled already. */
    waiting(id: number): Promise<UnreportedAcceptance | undefined>;
    /** Enters the person who invited as a contact of the user; the token is forgotten. */
    keepContact(
      acceptance: UnreportedAcceptance,
      answer: Extract<AcceptanceAnswer, { kind: 'accepted' }>,
    ): Promise<void>;
    /** The token is forgotten. @param reason a word for the user */
    refuse(id: number, reason: string): Promise<void>;
  };
  readonly calls: {
    /** Never throws for what a partner does. */
    acceptInvitation(call: AcceptanceCall): Promise<AcceptanceAnswer>;
  };
  readonly secrets: Pick<Secrets, 'open'>;
  /** Our own address, without a trailing slash. */
  readonly publicUrl: string;
}
