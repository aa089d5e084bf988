import type { SignatureDemand } from '#sharing';

/**
 * `unsigned`: the message is not signed, and is accepted nevertheless. `unknown`: the same, and the sender's server could not be asked
 * whether it signs.
 */
export type Proof = 'signed' | 'unsigned' | 'unknown';

/** Possible senders of a message, and whether the sender is proven. */
export interface ProvenSenders {
  readonly proof: Proof;
  /** The one signer of a signed message; otherwise those that need not sign. */
  readonly hosts: readonly string[];
}

/** Facts that decide whether messages from a host have to be signed. */
export interface SigningHost {
  /** Demand of an administrator on it; null if the setting decides. */
  readonly signatures: SignatureDemand | null;
  /** Whether a key is known for any address of the host, or one of its messages was signed. */
  readonly isSigner: boolean;
  /** Whether an operator chose that signatures that cannot be read are ignored. */
  readonly ignoresUnreadable: boolean;
  /** Whether a partner there announces that it signs. */
  readonly announces: boolean;
  /** Whether the partner at this address need not be asked now: it has answered, or it could not be reached a moment ago. */
  readonly isSettled: boolean;
  /** Whether the partner at this address has ever answered, or an operator answered for it. */
  readonly isProfiled: boolean;
}

/**
 * Checks whether this host sent the message.
 * @param known facts about the host, if they were read already
 * @throws FederationRefused
 */
export type Prove = (host: string, known?: SigningHost) => Promise<Proof>;

/** Finds the sender of a message that several partners may have sent. */
export interface SenderCheck {
  /** @throws FederationRefused signature-wrong, signature-missing, key-unavailable */
  among(hosts: readonly string[]): Promise<ProvenSenders>;
  /** The hosts that signed it; none if it is unsigned. @throws FederationRefused signature-wrong, key-unavailable */
  signers(hosts: readonly string[]): Promise<readonly string[]>;
}
