import type { HostIdentity, SignatureScheme, Signer } from '#federation/protocol';
import type { PartnerKey } from './partner-keys';
import type { SigningKey } from './signing-key';

export type KeyAnswer =
  /** `host` is the host that publishes the key. */
  | { readonly kind: 'found'; readonly key: PartnerKey; readonly host: HostIdentity }
  /** No possible sender has the key. */
  | { readonly kind: 'unknown' }
  /** A partner could not be asked. */
  | { readonly kind: 'unavailable' };

/**
 * Public keys of the partners that may have sent a message. Keys of other partners are not fetched, even if a
 * message names their key id.
 */
export interface PartnerKeys {
  find(signer: Signer): Promise<KeyAnswer>;
  /**
   * Asks the partner again, because a stored key did not match: Nextcloud reuses the id for a new key.
   * Anybody can trigger this with a wrong signature, so implementations limit how often a host is asked. Beyond the limit they
   * answer with the stored key, or `unknown`.
   */
  findAnew(signer: Signer): Promise<KeyAnswer>;
}

/** Our own keys, for senders of messages. */
export interface SigningKeys {
  /** The key that signs by this scheme at the moment. */
  signing(scheme: SignatureScheme): Promise<SigningKey>;
}

/** Signatures that were accepted, shared by all replicas. */
export interface SeenSignatures {
  /**
   * @param hash 32 bytes that identify one signed message
   * @param until the hash may be forgotten after this time
   * @returns false if it is already known
   */
  remember(hash: Buffer, until: Date): Promise<boolean>;
}
