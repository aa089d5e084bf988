import { parseHostAndPath, type Scheme } from '../addresses/host-and-path';
import { hostIdentity, type HostIdentity } from '../addresses/host-identity';

/** The signer that the signature names. */
export interface Signer {
  /** The id as it was sent, such as `https://nc.example.org/ocm#signature` or `a.example.org#key1`. */
  readonly keyId: string;
  /** The host that the key id names; null for none. */
  readonly host: HostIdentity | null;
}

const KEY_ID = /^[^\s\p{Cc}]{1,512}$/u;

/** Whether a text is a valid key id. */
export const isKeyId = (text: string): boolean => KEY_ID.test(text);

/**
 * The host that a key id names. The path is ignored: Nextcloud writes an address there, with or without
 * `/index.php`.
 * @returns undefined for an id that names no host
 */
export function hostNamedBy(keyId: string): HostIdentity | undefined {
  if (!isKeyId(keyId)) return undefined;
  const parts = /^(?:(https?):\/\/)?([^/?#\\]+)(?:[/?#].*)?$/.exec(keyId);
  if (!parts) return undefined;
  const place = parseHostAndPath(parts[2]!, (parts[1] as Scheme | undefined) ?? null);
  return place && hostIdentity(place);
}
