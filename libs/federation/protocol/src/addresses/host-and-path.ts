/** Address of a server: the part of a cloud id behind its `@`, or of an address behind its scheme. */
export interface HostAndPath {
  /** In lower case and ASCII (IDNA); IPv6 in brackets. */
  readonly host: string;
  /** null for the default port of the scheme. */
  readonly port: number | null;
  /** `''`, or the path of an installation on its host, such as `/owncloud`; case-sensitive. */
  readonly path: string;
}

export type Scheme = 'https' | 'http';

export const DEFAULT_PORTS: Readonly<Record<Scheme, number>> = { https: 443, http: 80 };

const MAX_HOST = 253;
const SAFE_SEGMENT = /^[\p{L}\p{N}._~@+,=-]+$/u;

/**
 * Reads `host[:port][/path]` without its scheme. `/index.php` and everything behind it, a query, a fragment and trailing
 * slashes are removed; the host is normalised; the scheme's own port is left out.
 *
 * @param scheme decides which port is the default; null counts as https
 * @returns undefined for a text that names no host
 */
export function parseHostAndPath(text: string, scheme: Scheme | null): HostAndPath | undefined {
  const bare = withoutTail(text);
  const slash = bare.indexOf('/');
  const [authority, path] = slash === -1 ? [bare, ''] : [bare.slice(0, slash), bare.slice(slash)];
  const parts = /^(\[[^[\]]+\]|[^:@[\]]+)(?::(\d{1,5}))?$/.exec(authority);
  if (!parts) return undefined;
  const host = foldHost(parts[1]!);
  const port = parts[2] === undefined ? null : Number(parts[2]);
  if (host === undefined || port === 0 || (port ?? 0) > 65_535 || !isSafePath(path)) return undefined;
  // Without its scheme it would mean the https server there.
  if (scheme === 'http' && port === DEFAULT_PORTS.https) return undefined;
  return { host, port: port === DEFAULT_PORTS[scheme ?? 'https'] ? null : port, path };
}

function withoutTail(text: string): string {
  const cut = text.search(/[?#]|\/index\.php/);
  return (cut === -1 ? text : text.slice(0, cut)).replace(/\/+$/, '');
}

/**
 * Percent signs are refused rather than decoded, and so are backslashes, which address parsers treat as slashes: a host that
 * has to be interpreted is an attempt to mislead.
 */
function foldHost(text: string): string | undefined {
  const address = /[%\\\s]/.test(text) ? null : URL.parse(`http://${text}/`);
  if (!address) return undefined;
  const host = asIpv4(address.hostname.replace(/\.$/, ''));
  return host.length > MAX_HOST || host.split('.').includes('') ? undefined : host;
}

/** IPv6 has a form for every IPv4 address (`[::ffff:127.0.0.1]`), which leads to the same server. */
function asIpv4(host: string): string {
  const groups = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(host);
  if (!groups) return host;
  const [high, low] = [parseInt(groups[1]!, 16), parseInt(groups[2]!, 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

function isSafePath(path: string): boolean {
  return path
    .split('/')
    .slice(1)
    .every((segment) => SAFE_SEGMENT.test(segment) && segment !== '.' && segment !== '..');
}

/** `host[:port]/path`: the same for two addresses of one server. */
export function peerKeyOf({ host, port, path }: HostAndPath): string {
  return `${host}${port === null ? '' : `:${port}`}${path}`;
}
