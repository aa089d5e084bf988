import { OUR_PATHS, ownAddress, type HostIdentity, type OcmDocument, type Probe } from '#federation/protocol';
import { readJwks, readPublicKeyMember, writeJwks, type PartnerKey } from '#federation/signatures';
import type { ReadKeys } from '#persistence';

/** Keys of a server that is not a partner. */
export const NO_KEYS: ReadKeys = { documentKeys: '', jwks: '' };

/** Sends a request to a partner's own server. */
type Ask = (url: string, read: (value: unknown) => string) => Promise<Probe<string>>;

/**
 * The keys with which a partner says that it signs. They are read at the address that it names, as for Nextcloud and
 * opencloudmesh-go, otherwise
 * at OCM's standard address. A JWKS is accepted only from the partner's own server, and only by https if the partner is reached by https.
 * @param host the keys have to belong to this host
 */
export async function readAnnouncedKeys(
  { publicKey, jwksUri, capabilities }: OcmDocument,
  baseUrl: string,
  host: HostIdentity,
  ask: Ask,
): Promise<ReadKeys> {
  const own = readPublicKeyMember(publicKey, host);
  const documentKeys = asKept(own ? [own] : []);
  const url = jwksUri === null ? standardPlace(capabilities, baseUrl) : ownAddress(jwksUri, baseUrl, []);
  if (url === undefined) return { documentKeys, jwks: '' };
  const probe = await ask(url, (value) => asKept(readJwks(JSON.stringify(value) ?? '')));
  if (probe.kind === 'failed') return { documentKeys, jwks: null };
  return { documentKeys, jwks: probe.kind === 'document' ? probe.document : '' };
}

/** The standard address of keys. Source: OCM 1.4, capability `http-sig`. */
function standardPlace(capabilities: readonly string[], baseUrl: string): string | undefined {
  return capabilities.includes('http-sig') ? `${new URL(baseUrl).origin}${OUR_PATHS.jwks}` : undefined;
}

const asKept = (keys: readonly PartnerKey[]): string => (keys.length > 0 ? writeJwks(keys) : '');
