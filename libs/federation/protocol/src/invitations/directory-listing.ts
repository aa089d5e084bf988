import { CloudIdInvalid, parseCloudId } from '../addresses/federated-cloud-id';
import { peerKeyOf } from '../addresses/host-and-path';
import { FederationRefused } from '../wire/federation-refusal';
import { LIMITS, WireFields } from '../wire/wire-fields';

/** A server of a federation, as people see it in the list. */
export interface ListedServer {
  /** Canonical host, with the port if it is not the usual one. */
  readonly hostKey: string;
  readonly name: string;
}

/** Servers of a federation, as its directory service lists them. */
export interface DirectoryListing {
  readonly federation: string;
  readonly servers: readonly ListedServer[];
}

const MAX_URL = 2048;

/** Reads the address of a directory service; undefined for an invalid one. The specification allows plain http for tests; the rules of outgoing calls decide about it. */
export function readDirectoryAddress(text: string): string | undefined {
  const url = text.length <= MAX_URL ? URL.parse(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.hash) return undefined;
  return url.href;
}

/** Maximum length of a directory service's answer, in characters. */
export const MAX_LISTING_LENGTH = 512 * 1024;
const MOST_SERVERS = 2000;

/**
 * Reads the payload of a directory service after its signature was checked. Servers are left out if the specification forbids their
 * address, or if their host is already in the list. Source: OCM 1.4, appendix C.
 * @returns undefined for an invalid listing
 */
export function readListing(payload: unknown): DirectoryListing | undefined {
  const fields = new WireFields(payload);
  const federation = fields.shown('federation', LIMITS.displayName).trim();
  if (federation === '' || !fields.has('servers')) return undefined;
  const servers = new Map<string, ListedServer>();
  for (const entry of fields.list('servers', MOST_SERVERS)) {
    const hostKey = hostOf(entry.shown('url', LIMITS.uri));
    if (hostKey === undefined || servers.has(hostKey)) continue;
    servers.set(hostKey, { hostKey, name: entry.shown('displayName', LIMITS.displayName).trim() || hostKey });
  }
  return { federation, servers: [...servers.values()] };
}

/** The host of an http or https address with nothing but host and port. */
function hostOf(address: string): string | undefined {
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  const { username, password, pathname, search, hash } = url;
  if ([username, password, search, hash].join('') !== '' || pathname !== '/') return undefined;
  try {
    return peerKeyOf(parseCloudId(`anybody@${url.origin}`));
  } catch (error) {
    if (error instanceof CloudIdInvalid || error instanceof FederationRefused) return undefined;
    throw error;
  }
}
