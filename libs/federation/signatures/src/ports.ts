import type { HostIdentity, SignatureScheme, Signer } from '#federation/protocol';
import type { PartnerKey } from './partner-keys';
import type { SigningKey } from './signing-key';

export type KeyAnswer =
  /** Of the host that publishes it. */
  | { readonly kind: 'found'; readonly key: PartnerKey; readonly host: HostIdentity }
  /** None of the possible senders has such a key. */
  | { readonly kind: 'unknown' }
  /** A partner could not be asked. */
  | { readonly kind: 'unavailable' };

/**
 * The public keys of those partners that a message can be of. Keys of other partners are not fetched, whatever key id a
 * message names.
 */
export interface PartnerKeys {
  find(signer: Signer): Promise<KeyAnswer>;
  /**
   * The same, asked of the partner again, because a kept key did not fit: a new key of Nextcloud has the old id.
   * Anybody can cause it with a wrong signature, so whoever implements it limits how often a host is asked, and
   * answers what is kept, or `unknown`, beyond that.
   */
  findAnew(signer: Signer): Promise<KeyAnswer>;
}

/** Our own keys, as whoever sends messages needs them. */
export interface SigningKeys {
  /** The one that signs by this scheme now. */
  signing(scheme: SignatureScheme): Promise<SigningKey>;
}

/** Signatures that were taken, shared by all replicas. */
export interface SeenSignatures {
  /**
   * @param hash 32 bytes that stand for one signed message
   * @param until when it may be forgotten
   * @returns false where it was there already
   */
  remember(hash: Buffer, until: Date): Promise<boolean>;
}
