// The other server for the tested one: it has keys, offers files, exchanges secrets, and keeps every request.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { ask } from './http.mjs';
import { newKey, signedHeaders } from './signing.mjs';

/** The user here who is the sender of messages. */
const PERSON = 'conformance-tester';
export const CONTENT = 'This file was offered by the runner of OCM conformance checks.\n';

/**
 * @param {{listen: string, port: number, at?: string, tls?: {cert: string, key: string}, criteria?: string[],
 *   shareTypes?: string[], resourceTypes?: object[], opensWebapps?: boolean}} options `at` is its address for others, by default the address where it listens
 */
export async function startPartner(options) {
  const partner = new Partner(options);
  await partner.start();
  return partner;
}

class Partner {
  /** Every received request, in order. */
  seen = [];
  /** Secrets of the offers from here. */
  secrets = new Set();
  tokens = new Set();

  constructor(options) {
    this.options = options;
  }

  async start() {
    const { listen, port, tls, at } = this.options;
    const take = (request, response) => void this.take(request, response);
    this.server = tls
      ? createSecureServer({ cert: readFileSync(tls.cert), key: readFileSync(tls.key) }, take)
      : createServer(take);
    await new Promise((listening, failed) => {
      this.server.once('error', failed);
      this.server.listen(port, listen, listening);
    });
    this.url = at ?? `${tls ? 'https' : 'http'}://${listen}:${this.server.address().port}`;
    this.host = new URL(this.url).host;
    this.key = newKey(`${this.host}#key1`);
  }

  stop() {
    this.server.closeAllConnections();
    return new Promise((closed) => this.server.close(closed));
  }

  get person() {
    return `${PERSON}@${this.host}`;
  }

  newSecret() {
    const secret = randomBytes(24).toString('base64url');
    this.secrets.add(secret);
    return secret;
  }

  /** Posts a message, signed unless `faults` is null. */
  post(url, content, faults = {}) {
    const isForm = content instanceof URLSearchParams;
    const body = isForm ? content.toString() : JSON.stringify(content);
    const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
    const plain = { 'content-type': type, 'content-length': String(Buffer.byteLength(body)) };
    const message = { method: 'POST', url, body, type };
    const headers = faults === null ? plain : signedHeaders(message, this.key, faults);
    return ask(url, { method: 'POST', headers, body });
  }

  async take(request, response) {
    const parts = [];
    for await (const part of request) parts.push(part);
    const body = Buffer.concat(parts).toString('utf8');
    const { method, url: target, headers } = request;
    this.seen.push({ method, target, url: `${this.url}${target}`, headers, body });
    const {
      status,
      type = 'application/json',
      text,
    } = this.answer(method, target.split('?')[0], { headers, body });
    const length = String(Buffer.byteLength(text));
    response.writeHead(status, { 'content-type': type, 'content-length': length });
    response.end(method === 'HEAD' ? undefined : text);
  }

  answer(method, path, message) {
    if (path === '/.well-known/ocm') return json(200, this.discovery());
    if (path === '/.well-known/jwks.json') return json(200, { keys: [this.key.jwk] });
    if (method === 'POST' && path === '/ocm/shares')
      return json(201, { recipientDisplayName: 'Conformance Tester' });
    if (method === 'POST' && ['/ocm/notifications', '/ocm/request-share'].includes(path))
      return json(201, {});
    if (method === 'POST' && path === '/ocm/token') return this.exchange(message);
    if (method === 'POST' && path === '/ocm/invite-accepted')
      return json(200, { userID: PERSON, email: 'tester@example.org', name: 'Conformance Tester' });
    if (path.startsWith('/webdav/')) return this.file(method, path, message);
    return json(404, { message: 'not here' });
  }

  discovery() {
    const file = {
      shareTypes: this.options.shareTypes ?? ['user'],
      protocols: {
        webdav: '/webdav/',
        'webdav-receive': { uri: 'absolute' },
        ...(this.options.opensWebapps && { 'webapp-receive': { targets: ['blank'] } }),
      },
    };
    return {
      enabled: true,
      apiVersion: '1.4.0',
      endPoint: `${this.url}/ocm`,
      provider: 'OCM conformance runner',
      resourceTypes: this.options.resourceTypes ?? ['file', 'folder'].map((name) => ({ name, ...file })),
      capabilities: [
        ...['exchange-token', 'http-sig', 'invites', 'notifications', 'protocol-object'],
        // Not in the draft's list; some servers ask only those that announce it.
        'request-share',
      ],
      criteria: this.options.criteria ?? [],
      tokenEndPoint: `${this.url}/ocm/token`,
      // Not in the draft, but some servers look for keys only here.
      jwksUri: `${this.url}/.well-known/jwks.json`,
    };
  }

  usesToken({ authorization }) {
    return this.tokens.has(credentialOf(authorization));
  }

  exchange({ body }) {
    const code = new URLSearchParams(body).get('code');
    if (!this.secrets.has(code)) return json(400, { error: 'invalid_grant' });
    const token = randomBytes(24).toString('base64url');
    this.tokens.add(token);
    return json(200, { access_token: token, token_type: 'Bearer', expires_in: 300 });
  }

  file(method, path, { headers }) {
    const credential = credentialOf(headers.authorization);
    if (!this.tokens.has(credential) && !this.secrets.has(credential)) return json(401, {});
    if (method === 'PROPFIND') return { status: 207, type: 'application/xml', text: propertiesOf(path) };
    if (method === 'GET' || method === 'HEAD') return { status: 200, type: 'text/plain', text: CONTENT };
    return json(403, {});
  }
}

const json = (status, value) => ({ status, text: JSON.stringify(value) });

function credentialOf(authorization = '') {
  const [scheme, value = ''] = authorization.split(' ');
  if (/^bearer$/i.test(scheme)) return value;
  return Buffer.from(value, 'base64').toString('utf8').split(':')[0];
}

const propertiesOf = (path) => `<?xml version="1.0" encoding="utf-8"?>
<d:multistatus xmlns:d="DAV:"><d:response><d:href>${path}</d:href><d:propstat><d:prop>
<d:resourcetype/><d:getcontentlength>${Buffer.byteLength(CONTENT)}</d:getcontentlength>
<d:getcontenttype>text/plain</d:getcontenttype><d:getetag>"1"</d:getetag>
<d:getlastmodified>Thu, 01 Jan 2026 00:00:00 GMT</d:getlastmodified>
</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response></d:multistatus>`;
