import type { AskAnswer, PeerProfile, SecretAnswer, SecretText } from '#federation/protocol';
import type { PolicySource } from '#sharing';
import type { ReachedPartner, ReachedPartners } from './reached-partners';
import type { Secrets } from './secrets';

/**
 * `asking`: we ask the partner to fetch a secret from us; `asked`: it said that it will; `declined`: it said that it will
 * ask us; `fetching`: we fetch one from it; the others are final.
 */
export type HandshakeState = 'asking' | 'asked' | 'declined' | 'fetching' | 'done' | 'failed';

/** A handshake with a trusted partner about a secret, in which the next step is ours. Tokens are sealed. */
export interface DueHandshake {
  readonly peerId: number;
  readonly state: HandshakeState;
  readonly sealedOwnToken: Buffer | null;
  readonly sealedPartnerToken: Buffer | null;
  /** Whether a secret exists, from this handshake or an earlier one. */
  readonly hasSecret: boolean;
  /** Attempts of the present step, including this one. */
  readonly attempts: number;
}

/** The secret in both stored forms. */
export interface AgreedSecret {
  /** Finds the partner that brings it. */
  readonly secretHmac: Buffer;
  /** For bringing it to the partner. */
  readonly sealedSecret: Buffer;
}

/** Everything that a step of a handshake needs. */
export interface HandshakePorts<Partner extends ReachedPartner = ReachedPartner> {
  readonly policy: PolicySource;
  readonly partners: ReachedPartners<Partner>;
  /** If the partner took a step at the same time, that step is kept. */
  readonly handshakes: {
    /** @param afterSeconds until the next step; null for none @param reason for operators, without a secret */
    move(
      handshake: DueHandshake,
      next: HandshakeState,
      afterSeconds: number | null,
      reason: string,
    ): Promise<void>;
    /** Stores the secret, and deletes the tokens. */
    finish(handshake: DueHandshake, secret: AgreedSecret): Promise<void>;
  };
  /** Calls never throw for errors of a partner. */
  readonly calls: {
    askForFetch(partner: PeerProfile, ourUrl: string, token: SecretText): Promise<AskAnswer>;
    fetchSecret(partner: PeerProfile, ourUrl: string, token: SecretText): Promise<SecretAnswer>;
  };
  readonly secrets: Pick<Secrets, 'open' | 'lookup' | 'seal'>;
  /** Our own address, without a trailing slash. */
  readonly publicUrl: string;
}
