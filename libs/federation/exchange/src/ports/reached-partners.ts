import type { RegardedPartner } from '#sharing';
import type { ProfileFound } from './profile-found';

/** A partner that is called outside of deliveries. */
export interface ReachedPartner extends RegardedPartner {
  readonly id: number;
  /** Nothing is sent to it until an operator resumes it. */
  readonly paused: boolean;
}

/** Partners, as calls to them need them. */
export interface ReachedPartners<Partner extends ReachedPartner> {
  find(peerId: number): Promise<Partner | undefined>;
  /** The partner's profile. An unknown one is discovered. */
  profileOf(partner: Partner): Promise<ProfileFound>;
}

/** An account of ours on whose behalf a partner is called. */
interface CallingAccount {
  readonly enabled: boolean;
  readonly displayName: string;
  readonly email: string | null;
}

/** Finds accounts by their user ids. */
export interface CallingAccounts {
  find(uid: string): Promise<CallingAccount | undefined>;
}
