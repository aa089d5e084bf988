import { parseHostAndPath, type HostAndPath, type Scheme } from '../addresses/host-and-path';

/** Whose signature it says to be. */
export interface Signer {
  /** As it was sent, such as `https://nc.example.org/ocm#signature` or `a.example.org#key1`. */
  readonly keyId: string;
  /** `host[:port]` that the key id names, canonical as in peer keys but without a path; null where it names none. */
  readonly host: string | null;
}

const KEY_ID = /^[^\s\p{Cc}]{1,512}$/u;

/** Whether a text can be the id of a key. */
export const isKeyId = (text: string): boolean => KEY_ID.test(text);

/**
 * Reads which host a key id names. The path says nothing: Nextcloud writes that of an address, with or without
 * `/index.php`.
 * @returns undefined for an id that names no host
 */
export function hostNamedBy(keyId: string): string | undefined {
  if (!isKeyId(keyId)) return undefined;
  const parts = /^(?:(https?):\/\/)?([^/?#\\]+)(?:[/?#].*)?$/.exec(keyId);
  if (!parts) return undefined;
  const place = parseHostAndPath(parts[2]!, (parts[1] as Scheme | undefined) ?? null);
  return place && hostOf(place);
}

/**
 * Where the keys of a partner are: `host[:port]` of its peer key. Installations in folders of one host share their host's
 * keys.
 */
export function hostOfPeer(peerKey: string): string {
  return peerKey.split('/', 1)[0]!;
}

function hostOf({ host, port }: HostAndPath): string {
  return port === null ? host : `${host}:${port}`;
}
