import { OUR_PATHS, ownAddress, type HostIdentity, type OcmDocument, type Probe } from '#federation/protocol';
import { readJwks, readPublicKeyMember, writeJwks, type PartnerKey } from '#federation/signatures';
import type { ReadKeys } from '#persistence';

/** Keys of a server that is no partner. */
export const NO_KEYS: ReadKeys = { documentKeys: '', jwks: '' };

/** Asks a partner for something of its own. */
type Ask = (url: string, read: (value: unknown) => string) => Promise<Probe<string>>;

/**
 * The keys by which a partner says that it signs: at the address that it names, as Nextcloud and opencloudmesh-go do, else
 * where OCM has them. A JWKS counts at the partner's own server only, and by https wherever the partner is reached so.
 * @param host to which keys have to belong
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

/** Source: OCM 1.4, capability `http-sig`. */
function standardPlace(capabilities: readonly string[], baseUrl: string): string | undefined {
  return capabilities.includes('http-sig') ? `${new URL(baseUrl).origin}${OUR_PATHS.jwks}` : undefined;
}

const asKept = (keys: readonly PartnerKey[]): string => (keys.length > 0 ? writeJwks(keys) : '');
