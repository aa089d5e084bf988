const MAX_CHARACTERS = 2048;

/**
 * Address of this instance for the browser after the sign-in.
 * @param given value in the request
 * @returns a path with its query; undefined for an address of another host
 */
export function readReturnAddress(given: unknown): string | undefined {
  if (typeof given !== 'string' || given.length > MAX_CHARACTERS || !given.startsWith('/')) return undefined;
  // Browsers read a backslash as a slash and remove control characters, so such a path could lead to another host.
  const here = 'http://here.invalid';
  if (/[\\\p{Cc}]/u.test(given) || !URL.canParse(given, here)) return undefined;
  const { origin, pathname, search } = new URL(given, here);
  return origin === here && !pathname.startsWith('//') ? pathname + search : undefined;
}
