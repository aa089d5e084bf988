import { FederationRefused, peerKeyOf, type ShareOffer } from '#federation/protocol';
import { ALL, clampToKind } from '#sharing';

/** Maximum length of a name in a tree. */
const MAX_NAME_BYTES = 255;
/** Maximum length of provider ids and hosts: longer ones fit into no index. */
const MAX_KEY_BYTES = 512;
/** The end of the year 9999 in UNIX seconds: few programs can read later dates. */
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

/** Of an offer or of a later change. null for none, and for an invalid date. */
export function expiryOf({ expiresAt }: Pick<ShareOffer, 'expiresAt'>): Date | null {
  return expiresAt === null || expiresAt > LAST_SECOND ? null : new Date(expiresAt * 1000);
}

/** Permissions of the offer. Without any, all that its kind can have: the partner's own server decides. */
export function permissionsOfOffer({ permissions, kind }: ShareOffer): number {
  return clampToKind(permissions ?? ALL, kind === 'file' ? 'file' : 'folder');
}
