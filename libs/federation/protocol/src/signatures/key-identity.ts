import { parseHostAndPath, type Scheme } from '../addresses/host-and-path';
import { hostIdentity, type HostIdentity } from '../addresses/host-identity';

/** The signer that the signature names. */
export interface Signer {
  /** As it was sent, such as `https://nc.example.org/ocm#signature` or `a.example.org#key1`. */
  readonly keyId: string;
  /** The host that the key id names; null where it names none. */
  readonly host: HostIdentity | null;
}

const KEY_ID = /^[^\s\p{Cc}]{1,512}$/u;

/** Whether a text can be the id of a key. */
export const isKeyId = (text: string): boolean => KEY_ID.test(text);

/**
 * Reads which host a key id names. The path says nothing: Nextcloud writes that of an address, with or without
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
