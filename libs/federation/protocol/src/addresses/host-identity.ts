import { DEFAULT_PORTS, parseHostAndPath, peerKeyOf, type HostAndPath, type Scheme } from './host-and-path';

declare const identified: unique symbol;

/**
 * Canonical name of a host, `host[:port]`, the same for every spelling. Trust, signatures, limits, budgets and breakers use
 * it. The path of an installation is not part of it: one host decides for all of its paths.
 *
 * Only the functions of this file make one. The database derives the same from the address of a partner (`peer_host`).
 */
export type HostIdentity = string & { readonly [identified]: true };

/**
 * An address without a scheme can be reached by https and by http, so both usual ports are left out. Every other port is another
 * server.
 */
const USUAL_PORTS: readonly number[] = Object.values(DEFAULT_PORTS);

export function hostIdentity({ host, port }: Pick<HostAndPath, 'host' | 'port'>): HostIdentity {
  const named = port === null || USUAL_PORTS.includes(port) ? null : port;
  return peerKeyOf({ host, port: named, path: '' }) as HostIdentity;
}

/** The host of a canonical address `host[:port][/path]` from `peerKeyOf`. */
export function hostOfAddress(peerKey: string): HostIdentity {
  return peerKey.split('/', 1)[0]!.replace(/:(80|443)$/, '') as HostIdentity;
}

/**
 * The host of any spelling `[http[s]://]host[:port][/path]`.
 * @returns undefined for a text that names no host
 */
export function readHostIdentity(text: string): HostIdentity | undefined {
  const [, scheme = null, place] = /^(?:(https?):\/\/)?(.*)$/is.exec(text.trim())!;
  const found = parseHostAndPath(place!, (scheme?.toLowerCase() ?? null) as Scheme | null);
  return found && hostIdentity(found);
}
