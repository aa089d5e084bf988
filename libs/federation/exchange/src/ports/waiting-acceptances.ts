import type { AcceptanceAnswer, PeerProfile, PresentedPerson, SecretText } from '#federation/protocol';
import type { PolicySource } from '#sharing';
import type { CallingAccounts, ReachedPartner, ReachedPartners } from './reached-partners';
import type { Secrets } from './secrets';

/** A partner's invitation that one of our users accepted. The partner's server has still to be notified. */
export interface UnreportedAcceptance {
  readonly id: number;
  readonly uid: string;
  readonly peerId: number;
  readonly sealedToken: Buffer;
}

/** The call that reports an acceptance. */
export interface AcceptanceCall {
  /** The facts that decide how it checks signatures. */
  readonly partner: Pick<PeerProfile, 'capabilities' | 'signBy'>;
  /** Without a trailing slash. */
  readonly ocmEndPoint: string;
  /** The partner's host, to which its user ids belong. */
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
    /** undefined if it is settled already. */
    waiting(id: number): Promise<UnreportedAcceptance | undefined>;
    /** Stores the inviter as a contact of the user, and deletes the token. */
    keepContact(
      acceptance: UnreportedAcceptance,
      answer: Extract<AcceptanceAnswer, { kind: 'accepted' }>,
    ): Promise<void>;
    /** Notes the refusal, and deletes the token. @param reason a word for the user */
    refuse(id: number, reason: string): Promise<void>;
  };
  readonly calls: {
    /** Never throws for errors of a partner. */
    acceptInvitation(call: AcceptanceCall): Promise<AcceptanceAnswer>;
  };
  readonly secrets: Pick<Secrets, 'open'>;
  /** Our own address, without a trailing slash. */
  readonly publicUrl: string;
}
