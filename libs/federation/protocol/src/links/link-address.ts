import { CloudIdInvalid, parseCloudId } from '../addresses/federated-cloud-id';
import { peerKeyOf } from '../addresses/host-and-path';
import { SecretText } from '../secret-text';
import { LIMITS } from '../wire/wire-fields';

/** A public link of another server. */
export interface ForeignLink {
  /** Canonical host of its server, with port and path if they are not the usual ones. */
  readonly hostKey: string;
  readonly token: SecretText;
}

const MAX_ADDRESS = 2048;
/** Paths of pages that show a link: those of ownCloud, Nextcloud and this product, and of the web client of ownCloud and OpenCloud. */
const PAGE = /^(https?:\/\/[^?#]*?)(?:\/index\.php)?\/(?:s|link\/public|files\/link\/public)\/([^/?#]+)/i;
const TOKEN = /^[\w.~-]+$/;

/** Reads the address of a link's page, as people copy it. @returns undefined for any other address */
export function readLinkAddress(address: string): ForeignLink | undefined {
  const text = address.trim();
  // Some web clients put their own paths behind a hash.
  const page = text.length > MAX_ADDRESS ? null : PAGE.exec(text.replace('/#/', '/'));
  return page ? readForeignLink(page[1]!, page[2]!) : undefined;
}

/** @param remote the address of the link's server, with or without its scheme @returns undefined for an invalid one */
export function readForeignLink(remote: string, token: string): ForeignLink | undefined {
  if (token.length > LIMITS.secret || !TOKEN.test(token)) return undefined;
  try {
    return { hostKey: peerKeyOf(parseCloudId(`anybody@${remote}`)), token: new SecretText(token) };
  } catch (error) {
    if (error instanceof CloudIdInvalid) return undefined;
    throw error;
  }
}
