const MAX_BYTES = 1000;
const CONTROL = /[\p{Cc}\p{Cf}]/u;

/**
 * Reads how a user names a file or folder at another server: an id, such as `4711`, or its address there. Addresses of other servers are refused.
 * @param hostKey server of the person who gets the request
 * @returns undefined for anything else
 */
export function readWantedResource(text: string, hostKey: string): string | undefined {
  const wanted = text.trim();
  const isBounded = wanted !== '' && Buffer.byteLength(wanted) <= MAX_BYTES && wanted.isWellFormed();
  if (!isBounded || CONTROL.test(wanted)) return undefined;
  if (!wanted.includes('/') && !wanted.includes(':')) return wanted;
  if (!URL.canParse(wanted)) return undefined;
  const { protocol, username, password } = new URL(wanted);
  if (!/^https?:$/.test(protocol) || username !== '' || password !== '') return undefined;
  return isAt(wanted, hostKey) ? wanted : undefined;
}

/** A partner may be below a path: its addresses then begin with its key. */
function isAt(address: string, hostKey: string): boolean {
  const { host, pathname } = new URL(address);
  const [keyHost, ...path] = hostKey.split('/');
  const prefix = path.length === 0 ? '/' : `/${path.join('/')}/`;
  return host === keyHost && pathname.startsWith(prefix);
}
