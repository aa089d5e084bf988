import { parseContentDigest } from './digest-fields';
import { signerOf, type Signer } from './key-identity';
import type { MessageHeaders } from './message-headers';
import type { ReceivedMessage } from './received-message';
import { namesServerOf, type RequestTarget } from './request-target';
import { SignatureRefused } from './signature-refused';
import type { SignatureAlgorithm, SignatureToCheck } from './signature-to-check';
import { assertCurrent, parseHttpDate, SIGNATURE_WINDOW_MS } from './signed-at';
import {
  parseDictionary,
  serializeInnerList,
  type BareItem,
  type InnerList,
  type Member,
  type Parameters,
} from './structured-dictionary';

/** The one signature that is looked at; proxies may add theirs under other names. Source: reference/federation 6.3. */
export const OCM_LABEL = 'ocm';

const INPUT = 'signature-input';
const SIGNATURE = 'signature';
const FIELD_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]{1,64}$/;

/**
 * Reads the signature `ocm` of RFC 9421.
 *
 * Method and address must be signed, the address whole or as authority, path and query; the digest of a body; and
 * when it was made.
 * @returns undefined where there is none of this name
 * @throws SignatureRefused
 */
export function readRfc9421(message: ReceivedMessage): SignatureToCheck | undefined {
  const input = memberOf(message.headers, INPUT);
  const signature = memberOf(message.headers, SIGNATURE);
  if (!input && !signature) return undefined;
  if (!input || !('items' in input)) throw new SignatureRefused('malformed', INPUT);
  if (!signature || !('bare' in signature) || signature.bare.kind !== 'bytes')
    throw new SignatureRefused('malformed', SIGNATURE);
  const components = componentsOf(input);
  assertCovered(components, message);
  return {
    scheme: 'rfc9421',
    ...aboutSigner(input.parameters),
    signature: signature.bare.value,
    signedText: signatureBase(components, serializeInnerList(input), message.target, message.headers),
    digests: digestsOf(components, message.headers),
    acceptableUntil: currentUntil(input.parameters, components, message),
  };
}

/**
 * What is signed (RFC 9421, 2.5).
 * @param parameters the covered components with their parameters, as serialised
 * @throws SignatureRefused where a component is not there, or not one that is spoken here
 */
export function signatureBase(
  components: readonly string[],
  parameters: string,
  target: RequestTarget,
  headers: Pick<MessageHeaders, 'require'>,
): string {
  const lines = components.map((name) => `"${name}": ${valueOf(name, target, headers)}`);
  return [...lines, `"@signature-params": ${parameters}`].join('\n');
}

function valueOf(name: string, target: RequestTarget, headers: Pick<MessageHeaders, 'require'>): string {
  if (FIELD_NAME.test(name) && !name.startsWith('@')) return headers.require(name);
  switch (name) {
    case '@method':
      return target.method;
    case '@target-uri':
      return target.uri;
    case '@authority':
      return target.authority;
    case '@path':
      return target.path;
    case '@query':
      return target.query || '?';
    default:
      throw new SignatureRefused('unsupported', 'component');
  }
}

/** Several lines of one field are one dictionary; what else is in it belongs to others. */
function memberOf(headers: MessageHeaders, field: string): Member | undefined {
  const text = headers.get(field);
  return text === undefined ? undefined : parseDictionary(text, field).get(OCM_LABEL);
}

function componentsOf({ items }: InnerList): string[] {
  const names = items.map(({ bare, parameters }) => {
    if (bare.kind !== 'string') throw new SignatureRefused('malformed', INPUT);
    // Parameters pick parts of a field, or fields of another message: nobody needs them here.
    if (parameters.size > 0) throw new SignatureRefused('unsupported', 'component');
    return bare.value;
  });
  if (new Set(names).size < names.length) throw new SignatureRefused('malformed', INPUT);
  return names;
}

function assertCovered(
  components: readonly string[],
  { target, headers, bodyLength }: ReceivedMessage,
): void {
  const parts = ['@authority', '@path', ...(target.query === '' ? [] : ['@query'])];
  const address = components.includes('@target-uri') ? [] : parts;
  const required = ['@method', ...address, ...(bodyLength === 0 ? [] : ['content-digest'])];
  const missing = required.find((name) => !components.includes(name));
  if (missing !== undefined) throw new SignatureRefused('not-covered', missing);
  if (components.includes('host') && !namesServerOf(headers.require('host'), target))
    throw new SignatureRefused('wrong-host');
}

function digestsOf(components: readonly string[], headers: MessageHeaders): SignatureToCheck['digests'] {
  if (!components.includes('content-digest')) return [];
  return parseContentDigest(headers.require('content-digest'));
}

function aboutSigner(parameters: Parameters): { signer: Signer; algorithm: SignatureAlgorithm | null } {
  const signer = signerOf(parameterOf(parameters, 'keyid', 'string') ?? '');
  if (!signer) throw new SignatureRefused('malformed', 'keyid');
  const algorithm = parameterOf(parameters, 'alg', 'string') ?? null;
  if (algorithm !== null && algorithm !== 'ed25519' && algorithm !== 'ecdsa-p256-sha256')
    throw new SignatureRefused('unsupported', 'alg');
  for (const name of ['nonce', 'tag']) parameterOf(parameters, name, 'string');
  return { signer, algorithm };
}

/** UNIX milliseconds until which the signature holds. */
function currentUntil(
  parameters: Parameters,
  components: readonly string[],
  message: ReceivedMessage,
): number {
  const created = secondsOf(parameters, 'created');
  if (created === undefined) throw new SignatureRefused('not-covered', 'created');
  assertCurrent(created, message.now, 'created');
  if (components.includes('date'))
    assertCurrent(parseHttpDate(message.headers.require('date')), message.now, 'date');
  const expires = secondsOf(parameters, 'expires') ?? Infinity;
  if (message.now > expires) throw new SignatureRefused('out-of-date', 'expires');
  return Math.min(created + SIGNATURE_WINDOW_MS, expires);
}

function secondsOf(parameters: Parameters, name: string): number | undefined {
  const seconds = parameterOf(parameters, name, 'integer');
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

/** @throws SignatureRefused for one of another kind */
function parameterOf(parameters: Parameters, name: string, kind: BareItem['kind']): string | undefined {
  const bare = parameters.get(name);
  if (bare && bare.kind !== kind) throw new SignatureRefused('malformed', name);
  return bare?.value;
}
