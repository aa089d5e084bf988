const SCHEME = 'opaquelocktoken:';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Address of a lock token, as clients see it. */
export function tokenAddress(token: string): string {
  return SCHEME + token;
}

/** The token of a lock address; undefined for the address of no lock of ours. */
export function tokenOf(address: string): string | undefined {
  const token = address.startsWith(SCHEME) ? address.slice(SCHEME.length).toLowerCase() : '';
  return UUID.test(token) ? token : undefined;
}
