import { BASE64 } from './base64';
import { parseDigest } from './digest-fields';
import { hostNamedBy } from './key-identity';
import type { MessageHeaders } from './message-headers';
import type { ReceivedMessage } from './received-message';
import { namesServerOf, type RequestTarget } from './request-target';
import { SignatureRefused } from './signature-refused';
import type { SignatureAlgorithm, SignatureToCheck } from './signature-to-check';
import { assertCurrent, parseHttpDate, SIGNATURE_WINDOW_MS } from './signed-at';

const FIELD = 'signature';
const MAX_LENGTH = 8 * 1024;
const MAX_PARAMETERS = 16;
const MAX_HEADERS = 32;

const PARAMETER = /[ \t]*([A-Za-z]{1,32})=(?:"([^"\\]*)"|(\d{1,15}))[ \t]*(?:,|$)/y;
const HEADER_NAME = /^(?:\(request-target\)|[a-z0-9-]{1,64})$/;

/** Headers that every signature of this kind has to cover, and those that it also has to cover if there is a body. */
const ALWAYS_SIGNED = ['(request-target)', 'host', 'date'];
const SIGNED_WITH_BODY = ['digest'];

/**
 * Reads a signature of draft-cavage-http-signatures, as Nextcloud 31 and newer send it. Source: federation-facts 10.
 *
 * Target, host and date must be signed, and the digest of a body: without the host the signature could be for
 * another server, without the date it could be from any day.
 * @throws SignatureRefused
 */
export function readCavage({ target, headers, bodyLength, now }: ReceivedMessage): SignatureToCheck {
  const parameters = parseParameters(headers.require(FIELD));
  const names = signedNames(parameters.get('headers') ?? 'date');
  const required = bodyLength === 0 ? ALWAYS_SIGNED : [...ALWAYS_SIGNED, ...SIGNED_WITH_BODY];
  const missing = required.find((name) => !names.includes(name));
  if (missing !== undefined) throw new SignatureRefused('not-covered', missing);
  if (!namesServerOf(headers.require('host'), target)) throw new SignatureRefused('wrong-host');
  const date = parseHttpDate(headers.require('date'));
  assertCurrent(date, now, 'date');
  const keyId = parameters.get('keyId') ?? '';
  const host = hostNamedBy(keyId);
  const signature = parameters.get('signature') ?? '';
  if (host === undefined || signature === '' || !BASE64.test(signature))
    throw new SignatureRefused('malformed', FIELD);
  return {
    scheme: 'cavage',
    signer: { keyId, host },
    algorithm: algorithmOf(parameters.get('algorithm') ?? 'rsa-sha256'),
    signature,
    signedText: cavageText(names, target, headers),
    digests: names.includes('digest') ? parseDigest(headers.require('digest')) : [],
    acceptableUntil: date + SIGNATURE_WINDOW_MS,
  };
}

/**
 * The signed text: one line for each name, in their order.
 * @throws SignatureRefused if a header is missing
 */
export function cavageText(
  names: readonly string[],
  { method, path, query }: RequestTarget,
  headers: Pick<MessageHeaders, 'require'>,
): string {
  const valueOf = (name: string): string =>
    name === '(request-target)' ? `${method.toLowerCase()} ${path}${query}` : headers.require(name);
  return names.map((name) => `${name}: ${valueOf(name)}`).join('\n');
}

/** Unknown parameters are ignored, as the draft demands. */
function parseParameters(text: string): Map<string, string> {
  const parameters = new Map<string, string>();
  if (text.length > MAX_LENGTH) throw new SignatureRefused('malformed', FIELD);
  for (let at = 0; at < text.length; at = PARAMETER.lastIndex) {
    PARAMETER.lastIndex = at;
    const found = PARAMETER.exec(text);
    const name = found?.[1];
    if (!found || !name || parameters.has(name) || parameters.size === MAX_PARAMETERS)
      throw new SignatureRefused('malformed', FIELD);
    parameters.set(name, found[2] ?? found[3]!);
  }
  // The draft forbids them with RSA. Ignoring an expiry would be worse than refusing it.
  for (const name of ['created', 'expires'])
    if (parameters.has(name)) throw new SignatureRefused('unsupported', name);
  return parameters;
}

function signedNames(text: string): string[] {
  const names = text.split(' ', MAX_HEADERS + 1);
  if (names.length > MAX_HEADERS || new Set(names).size < names.length)
    throw new SignatureRefused('malformed', FIELD);
  if (!names.every((name) => HEADER_NAME.test(name))) throw new SignatureRefused('unsupported', FIELD);
  return names;
}

function algorithmOf(text: string): SignatureAlgorithm {
  if (text === 'rsa-sha512' || text === 'rsa-sha256') return text;
  throw new SignatureRefused('unsupported', 'algorithm');
}
