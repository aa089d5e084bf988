import { parseContentDigest } from './digest-fields';
import { hostNamedBy, isKeyId, type Signer } from './key-identity';
import type { MessageHeaders } from './message-headers';
import type { ReceivedMessage } from './received-message';
import { namesServerOf, type RequestTarget } from './request-target';
import { SignatureRefused } from './signature-refused';
import { isRfc9421Algorithm, type SignatureAlgorithm, type SignatureToCheck } from './signature-to-check';
import { assertCurrent, parseHttpDate, SIGNATURE_WINDOW_MS } from './signed-at';
import {
  parseDictionary,
  serializeInnerList,
  type BareItem,
  type InnerList,
  type Member,
  type Parameters,
} from './structured-dictionary';

/**
 * The parameter `tag` of the signature that counts. Labels may be changed on the way and have no meaning; signatures with
 * another tag come from proxies. Source: OCM 1.4, "HTTP Message Signatures".
 */
export const OCM_TAG = 'ocm';

const INPUT = 'signature-input';
const SIGNATURE = 'signature';
const FIELD_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]{1,64}$/;

/** Methods without a body. */
const BODILESS = ['GET', 'HEAD'];

/**
 * Reads the signature of RFC 9421 that has the tag of OCM.
 *
 * It must cover the method, the whole address, the digest and the length of the body, and contain its creation time.
 * @throws SignatureRefused `untagged` if no signature has the tag
 */
export function readRfc9421(message: ReceivedMessage): SignatureToCheck {
  const [label, input] = taggedInput(message.headers);
  const signature = parseDictionary(message.headers.require(SIGNATURE), SIGNATURE).get(label);
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
 * The signed text (RFC 9421, 2.5).
 * @param parameters the covered components with their parameters, as serialised
 * @throws SignatureRefused if a component is missing or not supported
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

/** The one list with the tag, and its label. Several lines of one header form one dictionary. */
function taggedInput(headers: MessageHeaders): readonly [label: string, input: InnerList] {
  const inputs = [...parseDictionary(headers.require(INPUT), INPUT)];
  const tagged = inputs.filter((entry): entry is [string, InnerList] => isTagged(entry[1]));
  if (tagged.length > 1) throw new SignatureRefused('malformed', 'tag');
  if (!tagged[0]) throw new SignatureRefused('untagged');
  return tagged[0];
}

function isTagged(member: Member): boolean {
  const tag = 'items' in member ? member.parameters.get('tag') : undefined;
  return tag?.kind === 'string' && tag.value === OCM_TAG;
}

function componentsOf({ items }: InnerList): string[] {
  const names = items.map(({ bare, parameters }) => {
    if (bare.kind !== 'string') throw new SignatureRefused('malformed', INPUT);
    // Parameters select parts of a header, or headers of another message. Signatures of partners do not need them.
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
  const hasBody = bodyLength > 0 || !BODILESS.includes(target.method);
  const required = ['@method', '@target-uri', ...(hasBody ? ['content-digest', 'content-length'] : [])];
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
  const keyId = parameterOf(parameters, 'keyid', 'string') ?? '';
  if (!isKeyId(keyId)) throw new SignatureRefused('malformed', 'keyid');
  const algorithm = parameterOf(parameters, 'alg', 'string') ?? null;
  if (algorithm !== null && !isRfc9421Algorithm(algorithm)) throw new SignatureRefused('unsupported', 'alg');
  parameterOf(parameters, 'nonce', 'string');
  // The key has to belong to the claimed sender anyway, so its id need not name a host.
  return { signer: { keyId, host: hostNamedBy(keyId) ?? null }, algorithm };
}

/** Time until which the signature is valid, in UNIX milliseconds. */
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

/** @throws SignatureRefused for a parameter of another type */
function parameterOf(parameters: Parameters, name: string, kind: BareItem['kind']): string | undefined {
  const bare = parameters.get(name);
  if (bare && bare.kind !== kind) throw new SignatureRefused('malformed', name);
  return bare?.value;
}
