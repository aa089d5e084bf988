/** A signature in the query of an address. */
export interface AddressSignature {
  readonly uid: string;
  /** Milliseconds since 1970. */
  readonly signedAt: number;
  /** Lifetime in seconds. */
  readonly seconds: number;
  /** Method in upper case. */
  readonly verb: string;
  readonly iterations: number;
  /** 64 hexadecimal digits. */
  readonly digest: string;
}

const MAX_ITERATIONS = 10_000;
const DEFAULT_ALGORITHM = `PBKDF2/${MAX_ITERATIONS}-SHA512`;
const MAX_SECONDS = 7 * 86_400;

/** Parameters of the signature, which are not signed themselves. */
const UNSIGNED: ReadonlySet<string> = new Set(['OC-Signature', 'OC-Algo']);

/** Whether an address contains a signature, valid or not. @param target path and query */
export function isSignedAddress(target: string): boolean {
  return target.includes('OC-Signature=') && parametersOf(target).has('OC-Signature');
}

/** @returns undefined if a part of the signature is missing, repeated, or impossible */
export function readAddressSignature(target: string): AddressSignature | undefined {
  const parameters = parametersOf(target);
  const only = (name: string): string | undefined =>
    parameters.getAll(name).length === 1 ? parameters.get(name)! : undefined;
  const [uid, date, expires, verb, digest] = ['Credential', 'Date', 'Expires', 'Verb', 'Signature'].map(
    (name) => only(`OC-${name}`),
  );
  const [, iterations] =
    /^PBKDF2\/([1-9]\d{0,5})-SHA512$/.exec(parameters.get('OC-Algo') ?? DEFAULT_ALGORITHM) ?? [];
  const signedAt = /^\d{4}-\d\d-\d\dT[\d:.]{5,15}(?:Z|[+-]\d\d:?\d\d)$/.test(date ?? '')
    ? Date.parse(date!)
    : NaN;
  const isRead =
    uid !== undefined &&
    verb !== undefined &&
    /^\d{1,6}$/.test(expires ?? '') &&
    /^[0-9a-f]{64}$/.test(digest ?? '') &&
    Number(iterations) <= MAX_ITERATIONS &&
    !Number.isNaN(signedAt);
  if (!isRead || Number(expires) > MAX_SECONDS) return undefined;
  return {
    ...{ uid, signedAt, seconds: Number(expires), verb: verb.toUpperCase() },
    ...{ iterations: Number(iterations), digest: digest! },
  };
}

/**
 * The address before it was signed: in the spelling of browsers and, if that differs, of PHP, in which its servers sign.
 * @param origin address of this instance, without a trailing slash
 */
export function addressesToSign(origin: string, target: string): readonly string[] {
  const [path = '', query = ''] = target.split(/\?(.*)/s);
  const asSent = query
    .split('&')
    .filter((parameter) => !UNSIGNED.has(decode(parameter.split('=', 1)[0]!)))
    .join('&');
  const asRewritten = [...parametersOf(target)]
    .filter(([name]) => !UNSIGNED.has(name))
    .map(([name, value]) => `${encode(name).replace(/%5B\d+%5D/g, '%5B%5D')}=${encode(value)}`)
    .join('&');
  return [...new Set([asSent, asRewritten])].map((signed) => `${origin}${path}?${signed}`);
}

const parametersOf = (target: string): URLSearchParams =>
  new URLSearchParams(target.includes('?') ? target.slice(target.indexOf('?') + 1) : '');

const decode = (name: string): string => [...new URLSearchParams(`${name}=`).keys()][0] ?? '';

/** Encodes as PHP's urlencode: everything but letters, digits, `-`, `_` and `.`; a space becomes a plus. */
const encode = (text: string): string =>
  encodeURIComponent(text.toWellFormed())
    .replace(/[!'()*~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(/%20/g, '+');
