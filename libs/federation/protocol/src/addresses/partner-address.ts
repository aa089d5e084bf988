/** `host:port` of further hosts that an operator named for a partner, such as a separate file server. */
export type NamedHosts = readonly string[];

/**
 * Reads an address that a partner announced for itself; undefined if it leads elsewhere: a partner may
 * only name its own host and port, or a host that an operator named for it.
 *
 * A path is resolved at the partner's origin. If a partner answers by `https` on
 * the usual ports, its announced `http` is read as `https`: servers behind a proxy often do not know their own scheme.
 *
 * @param base the partner's own address, such as `https://cloud.example.org/owncloud`
 * @returns an address without query, fragment, credentials and trailing slash
 */
export function ownAddress(announced: string, base: string, named: NamedHosts): string | undefined {
  if (!URL.canParse(announced, base)) return undefined;
  const [url, home] = [new URL(announced, base), new URL(base)];
  if (url.username || url.password || !/^https?:$/.test(url.protocol)) return undefined;
  if (url.hostname === home.hostname && url.port === '' && home.port === '') url.protocol = home.protocol;
  if (home.protocol === 'https:' && url.protocol !== 'https:') return undefined;
  const isOwn = portOf(url) === portOf(home) && url.hostname === home.hostname;
  const isNamed = named.includes(`${url.hostname}:${portOf(url)}`);
  if (!isOwn && !isNamed) return undefined;
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

function portOf(url: URL): string {
  return url.port || (url.protocol === 'https:' ? '443' : '80');
}
