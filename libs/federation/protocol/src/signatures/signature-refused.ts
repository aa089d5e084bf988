/** Every reason for refusing a signature. */
export type SignatureRefusal =
  /** A header of the signature cannot be read, or half of it is missing. */
  | 'malformed'
  /** None of its signatures has the tag of OCM. */
  | 'untagged'
  /** A component, digest or algorithm is not supported. */
  | 'unsupported'
  /** A required part is not signed. */
  | 'not-covered'
  /** The message was signed for another server. */
  | 'wrong-host'
  /** The signer is not the partner for which the message speaks. */
  | 'wrong-signer'
  /** The signature is too old, from the future, or expired. */
  | 'out-of-date'
  | 'length-wrong'
  | 'digest-wrong'
  /** The signer publishes no such key. */
  | 'key-unknown'
  /** The signer could not be asked for its keys. A later attempt may work. */
  | 'key-unavailable'
  /** The key has another type than the signature. */
  | 'key-unsuitable'
  | 'signature-wrong'
  /** The signature was used before. */
  | 'replayed';

/** An expected refusal of a signature; `detail` names a header, component or parameter, never a value. */
export class SignatureRefused extends Error {
  constructor(
    readonly refusal: SignatureRefusal,
    readonly detail = '',
  ) {
    super(detail === '' ? refusal : `${refusal}: ${detail}`);
  }
}
