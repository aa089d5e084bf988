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

/** Checks whether this host sent the message. @throws FederationRefused */
export type Prove = (host: string) => Promise<Proof>;

/** Finds the sender of a message that several partners may have sent. */
export interface SenderCheck {
  /** @throws FederationRefused signature-wrong, signature-missing, key-unavailable */
  among(hosts: readonly string[]): Promise<ProvenSenders>;
  /** The hosts that signed it; none if it is unsigned. @throws FederationRefused signature-wrong, key-unavailable */
  signers(hosts: readonly string[]): Promise<readonly string[]>;
}
