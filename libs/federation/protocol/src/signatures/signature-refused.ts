/** Everything that a signature can be refused for. */
export type SignatureRefusal =
  /** A header of the signature cannot be read, or half of it is missing. */
  | 'malformed'
  /** None of its signatures has the tag of OCM. */
  | 'untagged'
  /** A component, digest or algorithm that is not spoken here. */
  | 'unsupported'
  /** Something is not signed that has to be. */
  | 'not-covered'
  /** Signed for another server. */
  | 'wrong-host'
  /** Signed by another partner than the message speaks for. */
  | 'wrong-signer'
  /** Too old, from the future, or past its own end. */
  | 'out-of-date'
  | 'length-wrong'
  | 'digest-wrong'
  /** The signer publishes no such key. */
  | 'key-unknown'
  /** The signer could not be asked for its keys: may be tried again. */
  | 'key-unavailable'
  /** The key is of another kind than the signature. */
  | 'key-unsuitable'
  | 'signature-wrong'
  /** Taken before. */
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
