/**
 * `unsigned`: it says nothing of its sender, and is taken all the same. `unknown`: the same, and the sender could not be asked
 * whether it signs.
 */
export type Proof = 'signed' | 'unsigned' | 'unknown';

/** Those whose message it can be, and whether that is proven. */
export interface ProvenSenders {
  readonly proof: Proof;
  /** One where it is signed; else those of whom no signature is demanded. */
  readonly hosts: readonly string[];
}

/** Finds out whether the message at hand is of this host. @throws FederationRefused */
export type Prove = (host: string) => Promise<Proof>;

/** Finds out whose a message is that can be of several partners. */
export interface SenderCheck {
  /** @throws FederationRefused signature-wrong, signature-missing, key-unavailable */
  among(hosts: readonly string[]): Promise<ProvenSenders>;
  /** Those of the hosts that signed it; none where it is unsigned. @throws FederationRefused signature-wrong, key-unavailable */
  signers(hosts: readonly string[]): Promise<readonly string[]>;
}
