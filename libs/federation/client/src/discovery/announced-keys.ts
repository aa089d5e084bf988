import { ownAddress, type OcmDocument, type Probe } from '#federation/protocol';
import { readJwks, readPublicKeyMember, writeJwks, type PartnerKey } from '#federation/signatures';
import type { ReadKeys } from '#persistence';

/** What a server that is no partner signs by. */
export const NO_KEYS: ReadKeys = { documentKeys: '', jwks: '' };

/** Asks a partner for something of its own. */
type Ask = (url: string, read: (value: unknown) => string) => Promise<Probe<string>>;

/**
 * The keys by which a partner says that it signs. A JWKS counts at the partner's own server only, and by https wherever
 * the partner is reached so.
 * @param host `host[:port]`, to which keys have to belong
 */
export async function readAnnouncedKeys(
  { publicKey, jwksUri }: OcmDocument,
  baseUrl: string,
  host: string,
  ask: Ask,
): Promise<ReadKeys> {
  const own = readPublicKeyMember(publicKey, host);
  const documentKeys = asKept(own ? [own] : []);
  const url = jwksUri === null ? undefined : ownAddress(jwksUri, baseUrl, []);
  if (url === undefined) return { documentKeys, jwks: '' };
  const probe = await ask(url, (value) => asKept(readJwks(JSON.stringify(value) ?? '', host)));
  if (probe.kind === 'failed') return { documentKeys, jwks: null };
  return { documentKeys, jwks: probe.kind === 'document' ? probe.document : '' };
}

const asKept = (keys: readonly PartnerKey[]): string => (keys.length > 0 ? writeJwks(keys) : '');
