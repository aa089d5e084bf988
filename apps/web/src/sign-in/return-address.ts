const MAX_CHARACTERS = 2048;

/**
 * Address of this instance to which a browser goes on after the sign-in.
 * @param given as the request brought it
 * @returns a path with its query; undefined for an address that leads elsewhere
 */
export function readReturnAddress(given: unknown): string | undefined {
  if (typeof given !== 'string' || given.length > MAX_CHARACTERS || !given.startsWith('/')) return undefined;
  // Browsers read a backslash as a slash and leave out control characters, which makes other hosts of such paths.
  const here = 'http://here.invalid';
  if (/[\\\p{Cc}]/u.test(given) || !URL.canParse(given, here)) return undefined;
  const { origin, pathname, search } = new URL(given, here);
  return origin === here && !pathname.startsWith('//') ? pathname + search : undefined;
}
