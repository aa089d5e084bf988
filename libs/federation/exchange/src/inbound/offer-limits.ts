import { FederationRefused, peerKeyOf, type ShareOffer } from '#federation/protocol';
import { ALL, clampToKind } from '#sharing';

/** Bytes that a name in a tree can have. */
const MAX_NAME_BYTES = 255;
/** Bytes that provider ids and hosts can have: more fit into no index. */
const MAX_KEY_BYTES = 512;
/** The end of the year 9999 in UNIX seconds: dates behind it are read by few. */
const LAST_SECOND = 253_402_300_799;

/** Lengths on the wire are counted in characters, stored ones in bytes. @throws FederationRefused */
export function assertStorable({ name, providerId, owner }: ShareOffer): void {
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) throw new FederationRefused('name-invalid');
  if (Buffer.byteLength(providerId) > MAX_KEY_BYTES) {
    throw new FederationRefused('field-invalid', 'providerId');
  }
  if (Buffer.byteLength(peerKeyOf(owner)) > MAX_KEY_BYTES) {
    throw new FederationRefused('field-invalid', 'owner');
  }
}

/** null for none, and for what is no date. */
export function expiryOf({ expiresAt }: ShareOffer): Date | null {
  return expiresAt === null || expiresAt > LAST_SECOND ? null : new Date(expiresAt * 1000);
}

/** Where the offer does not say, everything that its kind can have: the partner's own files decide. */
export function permissionsOfOffer({ permissions, kind }: ShareOffer): number {
  return clampToKind(permissions ?? ALL, kind === 'file' ? 'file' : 'folder');
}
