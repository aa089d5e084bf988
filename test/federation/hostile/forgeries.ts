import { signRequest, type SigningKey } from '#federation/signatures';
import type { SigningScheme, UnsignedRequest, RequestOnWire } from '../../../libs/testing/src';
import { unsigned } from '../../../libs/testing/src';
import type { HostileWorld } from './hostile-world';

/** Makes a message that X did not send, or not in this form. */
type Forge = (world: HostileWorld, request: UnsignedRequest, scheme: SigningScheme) => Promise<RequestOnWire>;

/** Reason of the refusal: one for both, or one each for draft-cavage and RFC 9421. */
type Reasons = string | readonly [cavage: string, rfc9421: string];

export interface Forgery {
  readonly name: string;
  readonly reasons: Reasons;
  readonly forge: Forge;
  /** Removes every signature. */
  readonly isUnsigned?: (scheme: SigningScheme) => boolean;
}

const HOUR_MS = 3_600_000;

const without =
  (...names: readonly string[]) =>
  (request: RequestOnWire): RequestOnWire => ({
    ...request,
    headers: request.headers.filter(([name]) => !names.includes(name)),
  });
const rewritten =
  (pattern: RegExp, replacement: string, ...names: readonly string[]) =>
  (request: RequestOnWire): RequestOnWire => ({
    ...request,
    headers: request.headers.map(([name, value]) => [
      name,
      names.includes(name) ? value.replace(pattern, replacement) : value,
    ]),
  });
const relabelled = (algorithm: string) =>
  rewritten(/(alg(?:orithm)?=")[^"]+/, `$1${algorithm}`, 'signature', 'signature-input');

/** Has a valid signature of X, and was changed on the way. */
const changed =
  (change: (sent: RequestOnWire) => RequestOnWire, at?: () => number): Forge =>
  ({ x }, request, scheme) =>
    x.sign(request, { scheme, at: at?.(), tamper: change });

/** Signed by X for another address, and sent to this one. */
const meantFor =
  (
    retarget: (url: string) => string,
    change: (sent: RequestOnWire) => RequestOnWire = (same) => same,
  ): Forge =>
  ({ x }, request, scheme) => {
    const tamper = (sent: RequestOnWire): RequestOnWire => change({ ...sent, url: request.url });
    return x.sign({ ...request, url: retarget(request.url) }, { scheme, tamper });
  };

const withKey =
  (key: (world: HostileWorld, scheme: SigningScheme) => SigningKey): Forge =>
  (world, request, scheme) =>
    world.x.sign(request, { scheme, key: key(world, scheme) });

/** The same meaning in other bytes. */
function respelled(request: RequestOnWire): RequestOnWire {
  const body = `${request.body}${request.body.startsWith('{') ? ' ' : '&x=1'}`;
  const length = String(Buffer.byteLength(body));
  const headers = request.headers.map(
    ([name, value]) => [name, name === 'Content-Length' ? length : value] as const,
  );
  return { ...request, headers, body };
}

/** Another body with its own right digest, under the signature of the first. */
const respelledWithDigest: Forge = async ({ x, m }, request, scheme) => {
  const sent = await x.sign(request, { scheme });
  const body = respelled(sent).body;
  const own = await m.sign({ ...request, body }, { scheme });
  const kept = ['signature', 'signature-input', 'date'];
  const headers = own.headers.map(
    ([name, value]) =>
      [name, kept.includes(name) ? sent.headers.find(([known]) => known === name)![1] : value] as const,
  );
  return { ...own, headers };
};

const ofAnotherMethod: Forge = async ({ x }, request, scheme) => {
  const { url, headers, body } = unsigned(request);
  const toSign = { method: 'PUT', url, body: Buffer.from(body) };
  const added = await signRequest(toSign, x.keyOf(scheme), Date.now());
  return { url, headers: [...headers, ...Object.entries(added)], body };
};

const atAnotherInstance = (url: string): string => url.replace('gateway.example', 'other.example');
const named = (host: string) => rewritten(/.*/, host, 'Host');
const twice = (request: RequestOnWire): RequestOnWire => ({
  ...request,
  headers: [...request.headers, request.headers.find(([name]) => name === 'signature')!],
});
const always = (): boolean => true;

const forgery = (
  name: string,
  reasons: Reasons,
  forge: Forge,
  isUnsigned?: Forgery['isUnsigned'],
): Forgery => ({ name, reasons, forge, isUnsigned });

export const FORGERIES: readonly Forgery[] = [
  forgery('signed by the hostile partner itself', 'wrong-signer', ({ m }, request, scheme) =>
    m.sign(request, { scheme }),
  ),
  forgery(
    'signed by another honest partner',
    'wrong-signer',
    withKey(({ y }, scheme) => y.keyOf(scheme)),
  ),
  forgery(
    'signed by the hostile partner’s key under the id of X’s',
    'signature-wrong',
    withKey(({ x, m }, scheme) => ({ ...m.keyOf(scheme), keyId: x.keyOf(scheme).keyId })),
  ),
  forgery(
    'signed by X’s key under an id at another host',
    'wrong-signer',
    withKey(({ x, m }, scheme) => ({ ...x.keyOf(scheme), keyId: m.keyOf(scheme).keyId })),
  ),
  forgery(
    'signed under the id of a key that X does not have',
    'key-unknown',
    withKey(({ x, m }, scheme) => ({ ...m.keyOf(scheme), keyId: `${x.url}/ocm#hostile` })),
  ),
  forgery('with the algorithm none', 'unsupported', changed(relabelled('none'))),
  forgery('with an HMAC', 'unsupported', changed(relabelled('hmac-sha256'))),
  forgery(
    'with the algorithm of another key',
    ['unsupported', 'key-unsuitable'],
    changed(relabelled('ed25519')),
  ),
  forgery(
    'without its signature',
    'missing',
    changed(without('signature', 'signature-input', 'date', 'digest', 'content-digest')),
    always,
  ),
  forgery(
    'without half of its signature',
    ['missing', 'malformed'],
    changed(without('signature')),
    (scheme) => scheme === 'cavage',
  ),
  forgery(
    'without the other half',
    'malformed',
    changed((sent) => rewritten(/,signature=".*"/, '', 'signature')(without('signature-input')(sent))),
  ),
  forgery('without its digest', 'malformed', changed(without('digest', 'content-digest'))),
  forgery(
    'with fewer parts covered',
    'not-covered',
    changed((sent) =>
      rewritten(/ "content-digest"/, '', 'signature-input')(rewritten(/ digest/, '', 'signature')(sent)),
    ),
  ),
  forgery('with two signatures', 'malformed', changed(twice)),
  forgery('signed for another method', 'signature-wrong', ofAnotherMethod),
  forgery(
    'signed for another path',
    'signature-wrong',
    meantFor((url) => `${url}/elsewhere`),
  ),
  forgery(
    'signed for another query',
    'signature-wrong',
    meantFor((url) => `${url}?x=1`),
  ),
  forgery('signed for another instance', ['wrong-host', 'signature-wrong'], meantFor(atAnotherInstance)),
  forgery(
    'signed for another instance, and sent under our name',
    'signature-wrong',
    meantFor(atAnotherInstance, named('gateway.example')),
  ),
  forgery('with another body', 'digest-wrong', changed(respelled)),
  forgery('with another body and its digest', 'signature-wrong', respelledWithDigest),
  forgery(
    'of an hour ago',
    'out-of-date',
    changed(
      (same) => same,
      () => Date.now() - HOUR_MS,
    ),
  ),
  forgery(
    'of the next hour',
    'out-of-date',
    changed(
      (same) => same,
      () => Date.now() + HOUR_MS,
    ),
  ),
];

export function reasonOf({ reasons }: Forgery, scheme: SigningScheme): string {
  return typeof reasons === 'string' ? reasons : scheme === 'cavage' ? reasons[0] : reasons[1];
}
