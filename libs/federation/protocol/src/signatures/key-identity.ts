import { parseHostAndPath, type HostAndPath, type Scheme } from '../addresses/host-and-path';

/** Whose signature it says to be. */
export interface Signer {
  /** As it was sent, such as `https://nc.example.org/ocm#signature` or `a.example.org#key1`. */
  readonly keyId: string;
  /** `host[:port]` of the key id, canonical as in peer keys but without a path. */
  readonly host: string;
}

const MAX_KEY_ID = 512;

/**
 * Reads who a key id belongs to. The path says nothing: Nextcloud writes that of an address, with or without
 * `/index.php`.
 * @returns undefined for an id that names no host
 */
export function signerOf(keyId: string): Signer | undefined {
  if (keyId.length > MAX_KEY_ID) return undefined;
  const parts = /^(?:(https?):\/\/)?([^/?#\\]+)(?:[/?#][\x21-\x7e]*)?$/.exec(keyId);
  if (!parts) return undefined;
  const place = parseHostAndPath(parts[2]!, (parts[1] as Scheme | undefined) ?? null);
  return place && { keyId, host: hostOf(place) };
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
