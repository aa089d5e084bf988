import { request as httpRequest } from 'node:http';
import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { SigningAlgorithm } from '#federation/protocol';
import {
  createSigningKey,
  jwksDocument,
  openSigningKey,
  publicKeyMember,
  signRequest,
  type NewSigningKey,
  type SigningKey,
} from '#federation/signatures';
import { replyJson, startFakeServer, type FakeServer, type RecordedRequest } from './fake-server';

/** `cavage` as in Nextcloud 31, with RSA; the others by RFC 9421. */
export type SigningScheme = 'cavage' | 'es256' | 'ed25519';

const ALGORITHMS: Readonly<Record<SigningScheme, SigningAlgorithm>> = {
  cavage: 'rsa-sha512',
  es256: 'ecdsa-p256-sha256',
  ed25519: 'ed25519',
};

/** A request to a gateway before signing; `url` is the gateway's public address with path and query. */
export interface UnsignedRequest {
  readonly url: string;
  readonly body: string;
  /** Default: `application/json`. */
  readonly type?: string;
}

/** A request on the wire: headers line by line, with `Host` and `Content-Length`. */
export interface RequestOnWire {
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

export interface SignOptions {
  readonly scheme: SigningScheme;
  /** UNIX milliseconds; default: now. */
  readonly at?: number;
  /** Replaces the partner's own key. */
  readonly key?: SigningKey;
  /** Changes the request after it was signed. */
  readonly tamper?: (request: RequestOnWire) => RequestOnWire;
}

/** Answer of a gateway. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Present state of a signing partner. */
interface SigningPartnerState {
  /** Whether it publishes its keys. */
  publishes: boolean;
  /** Whether it answers 503 to everything. */
  isDown: boolean;
}

/** A partner that signs its messages and publishes its keys: RSA in its discovery document, the others as JWKS. */
export interface SigningPartner extends FakeServer {
  /** Specs may change it. */
  readonly state: SigningPartnerState;
  /** Its host in cloud ids. */
  readonly host: string;
  /** Number of requests for its discovery document. */
  discoveries(): number;
  keyOf(scheme: SigningScheme): SigningKey;
  /** Makes a new key, with a new id or with the old one, as Nextcloud does. */
  rotate(scheme: SigningScheme, id: 'new-id' | 'same-id'): Promise<void>;
  sign(request: UnsignedRequest, options: SignOptions): Promise<RequestOnWire>;
}

/** A key with its published id. */
interface HeldKey {
  readonly made: NewSigningKey;
  readonly keyId: string;
}

export async function startSigningPartner(): Promise<SigningPartner> {
  const held = new Map<SigningScheme, HeldKey>();
  const state: SigningPartnerState = { publishes: true, isDown: false };
  let url = '';
  const server = await startFakeServer((request, response) => answer(request, response, url, held, state));
  url = server.url;
  const hold = async (scheme: SigningScheme, keyId?: string): Promise<void> => {
    const made = await createSigningKey(ALGORITHMS[scheme]);
    held.set(scheme, { made, keyId: keyId ?? `${url}/ocm#${made.id}` });
  };
  for (const scheme of Object.keys(ALGORITHMS) as SigningScheme[]) await hold(scheme);
  const keyOf = (scheme: SigningScheme): SigningKey => {
    const { made, keyId } = held.get(scheme)!;
    return { ...openSigningKey(made, url), keyId };
  };
  const partner = {
    host: new URL(url).host,
    state,
    discoveries: () => server.requests.filter(({ path }) => path === '/.well-known/ocm').length,
    keyOf,
    rotate: (scheme: SigningScheme, id: 'new-id' | 'same-id') =>
      hold(scheme, id === 'same-id' ? held.get(scheme)!.keyId : undefined),
    sign: (request: UnsignedRequest, options: SignOptions) => signed(request, options, keyOf(options.scheme)),
  };
  return Object.assign(server, partner);
}

/** A request without any signature, which any stranger could send. */
export function unsigned({ url, body, type = 'application/json' }: UnsignedRequest): RequestOnWire {
  const length = String(Buffer.byteLength(body));
  const headers = { Host: new URL(url).host, 'Content-Type': type, 'Content-Length': length };
  return { url, headers: Object.entries(headers), body };
}

async function signed(
  request: UnsignedRequest,
  { at = Date.now(), key, tamper = (same) => same }: SignOptions,
  ownKey: SigningKey,
): Promise<RequestOnWire> {
  const { url, headers, body } = unsigned(request);
  const toSign = { method: 'POST', url, body: Buffer.from(body) };
  const added = await signRequest(toSign, key ?? ownKey, at);
  return tamper({ url, headers: [...headers, ...Object.entries(added)], body });
}

/**
 * Sends the request to a gateway, even if its address names another server. @param gatewayUrl such as
 * `http://127.0.0.1:40123`
 */
export function deliver(gatewayUrl: string, { url, headers, body }: RequestOnWire): Promise<WireAnswer> {
  const { hostname, port } = new URL(gatewayUrl);
  const { pathname, search } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = httpRequest({
      method: 'POST',
      hostname,
      port,
      path: `${pathname}${search}`,
      setHost: false,
      headers: headers.flatMap(([name, value]) => [name, value]),
    });
    sent.on('error', reject).on('response', (reply) => {
      text(reply).then(
        (body) => resolve({ status: reply.statusCode!, headers: reply.headers, text: body }),
        reject,
      );
    });
    sent.end(body);
  });
}

function answer(
  { method, path }: RecordedRequest,
  response: ServerResponse,
  url: string,
  held: ReadonlyMap<SigningScheme, HeldKey>,
  { publishes, isDown }: SigningPartnerState,
): void {
  if (isDown) return replyJson(response, 503, { message: 'down' });
  if (method === 'GET' && path === '/.well-known/ocm')
    return replyJson(response, 200, { ...document(url), ...(publishes && announced(url, held)) });
  if (method === 'GET' && path === '/.well-known/jwks.json')
    return replyJson(response, 200, { keys: publishes ? jwksOf(held) : [] });
  if (method === 'POST' && path.startsWith('/ocm/')) return replyJson(response, 201, {});
  replyJson(response, 404, { message: 'Not found' });
}

const document = (url: string): object => ({
  enabled: true,
  apiVersion: '1.1.0',
  endPoint: `${url}/ocm`,
  provider: 'Signing',
  resourceTypes: [{ name: 'file', shareTypes: ['user'], protocols: { webdav: '/public.php/webdav/' } }],
  capabilities: ['notifications', 'http-sig'],
});

function announced(url: string, held: ReadonlyMap<SigningScheme, HeldKey>): object {
  const { made, keyId } = held.get('cavage')!;
  const signing = new Map([['rsa-sha512', { ...made, notBefore: new Date(0), retiredAt: null }]] as const);
  const publicKey = publicKeyMember({ signing }, url);
  return { publicKey: { ...publicKey, keyId }, jwksUri: `${url}/.well-known/jwks.json` };
}

function jwksOf(held: ReadonlyMap<SigningScheme, HeldKey>): object[] {
  return [...held.values()].flatMap(({ made, keyId }) => {
    const published = [{ ...made, notBefore: new Date(0), retiredAt: null }];
    return jwksDocument({ published }, '').keys.map((key) => ({ ...key, kid: keyId }));
  });
}
