import type { AskAnswer, PeerProfile, SecretAnswer, SecretText } from '#federation/protocol';
import type { PolicySource } from '#sharing';
import type { ReachedPartner, ReachedPartners } from './reached-partners';
import type { Secrets } from './secrets';

/**
 * `asking`: we ask the partner to fetch a secret from us; `asked`: it said that it will; `declined`: it said that it will
 * ask us; `fetching`: we fetch one from it; the others are final.
 */
export type HandshakeState = 'asking' | 'asked' | 'declined' | 'fetching' | 'done' | 'failed';

/** A secret that is being agreed on with a trusted partner, where the next step is ours. Tokens are sealed. */
export interface DueHandshake {
  readonly peerId: number;
  readonly state: HandshakeState;
  readonly sealedOwnToken: Buffer | null;
  readonly sealedPartnerToken: Buffer | null;
  /** From this handshake, or from the one before. */
  readonly hasSecret: boolean;
  /** Of the step that it is at, this one included. */
  readonly attempts: number;
}

/** Everything that a step of a handshake is made with. */
export interface HandshakePorts<Partner extends ReachedPartner = ReachedPartner> {
  readonly policy: PolicySource;
  readonly partners: ReachedPartners<Partner>;
  /** A step that the partner took meanwhile is kept. */
  readonly handshakes: {
    /** @param afterSeconds until the next step; null for none @param reason for operators, without a secret */
    move(
      handshake: DueHandshake,
      next: HandshakeState,
      afterSeconds: number | null,
      reason: string,
    ): Promise<void>;
    /** Keeps the key by which the secret is found, and forgets the tokens. */
    finish(handshake: DueHandshake, secretHmac: Buffer): Promise<void>;
  };
  /** Calls never throw for what a partner does. */
  readonly calls: {
    askForFetch(partner: PeerProfile, ourUrl: string, token: SecretText): Promise<AskAnswer>;
    fetchSecret(partner: PeerProfile, ourUrl: string, token: SecretText): Promise<SecretAnswer>;
  };
  readonly secrets: Pick<Secrets, 'open' | 'lookup'>;
  /** Our own address, without a trailing slash. */
  readonly publicUrl: string;
}
