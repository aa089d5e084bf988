import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { misbehave, type DavFault } from './dav-faults';
import { DavKeys } from './dav-keys';
import { answerDav, type DavCall } from './dav-methods';
import type { DavFlavour, DavPartnerOptions, DavShare } from './dav-share';
import { DavTree } from './dav-tree';
import { reply, replyJson } from './fake-server';

interface DavRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
}

/** A partner's server with files over WebDAV, and with optional faults. */
export interface DavPartner {
  /** `http://127.0.0.1:port[/folder]` */
  readonly url: string;
  readonly port: number;
  /** The right half of a cloud id. */
  readonly hostKey: string;
  /** All requests in order, including discovery and messages. */
  readonly requests: readonly DavRequest[];
  /** Requests with this method, as `METHOD path`. */
  seen(method: string): string[];
  share(providerId: string): DavShare;
  /** Makes the share's secret invalid. */
  revoke(share: DavShare): void;
  /** Sets the fault for requests for content with this method (default: all), permanently or for a number of times; null ends it. */
  misbehave(fault: DavFault | null, method?: string, times?: number): void;
  /** Codes that were exchanged for access tokens, one entry per exchange. */
  readonly exchanged: readonly string[];
  /** Bytes that it has sent and read, on all connections; bytes on their way count as sent. */
  readonly traffic: { readonly sent: number; readonly read: number };
  /** Requests for content whose answers have neither ended nor been aborted. */
  readonly busy: number;
  close(): Promise<void>;
}

/** Starts a partner. It answers every offer and notification with 201, and its discovery matches its flavour. */
export async function startDavPartner(options: DavPartnerOptions = {}): Promise<DavPartner> {
  const partner = new Partner(options);
  await partner.listen(options.port ?? 0);
  return partner;
}

const ROOTS: Readonly<Record<DavFlavour, string>> = {
  owncloud: '/public.php/webdav',
  opencloud: '/dav/ocm',
  reva: '/dav/ocm',
};

class Partner implements DavPartner {
  readonly requests: DavRequest[] = [];
  readonly exchanged: readonly string[];
  private readonly keys: DavKeys;
  private readonly flavour: DavFlavour;
  private readonly folder: string;
  private fault: { readonly fault: DavFault; readonly method: string | undefined; times: number } | undefined;
  private readonly sockets: Socket[] = [];
  private readonly server = createServer((request, response) => {
    request.on('error', () => undefined);
    void this.answer(request, response).catch(() => response.destroy());
  });
  url = '';
  port = 0;
  busy = 0;

  constructor(private readonly options: DavPartnerOptions) {
    this.flavour = options.flavour ?? 'owncloud';
    this.folder = options.folder ?? '';
    this.keys = new DavKeys(options);
    this.exchanged = this.keys.exchanged;
  }

  get traffic(): { readonly sent: number; readonly read: number } {
    const total = (of: (socket: Socket) => number): number =>
      this.sockets.reduce((sum, socket) => sum + of(socket), 0);
    return { sent: total((socket) => socket.bytesWritten), read: total((socket) => socket.bytesRead) };
  }

  get hostKey(): string {
    return this.url.replace(/^http:\/\//, '');
  }

  async listen(port: number): Promise<void> {
    this.server.on('connection', (socket: Socket) => void this.sockets.push(socket));
    await new Promise<void>((done, fail) => {
      this.server.once('error', fail).listen(port, '127.0.0.1', done);
    });
    this.port = (this.server.address() as AddressInfo).port;
    this.url = `http://127.0.0.1:${this.port}${this.folder}`;
  }

  seen(method: string): string[] {
    return this.requests.filter((one) => one.method === method).map((one) => `${method} ${one.path}`);
  }

  share(providerId: string): DavShare {
    const root = `${this.url}${ROOTS[this.flavour]}${this.flavour === 'owncloud' ? '' : `/${providerId}`}`;
    const secret = randomBytes(16).toString('hex');
    const share = { providerId, secret, tree: new DavTree(), root, permissions: 31 };
    this.keys.shares.push(share);
    return share;
  }

  revoke(share: DavShare): void {
    this.keys.shares.splice(this.keys.shares.indexOf(share), 1);
  }

  misbehave(fault: DavFault | null, method?: string, times = Infinity): void {
    this.fault = fault === null ? undefined : { fault, method, times };
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((done) => void this.server.close(() => done()));
    this.server.closeAllConnections();
    await closed;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    this.requests.push({ method, path: url, headers });
    const path = decodeURIComponent(url.split('?')[0]!).slice(this.folder.length);
    if (!path.startsWith(ROOTS[this.flavour])) return this.answerMessage(method, path, request, response);
    const id = this.flavour === 'owncloud' ? undefined : path.split('/')[3];
    const share = this.keys.shareOf(headers.authorization ?? '', id);
    if (!share) return this.answerUnknownToken(request, response);
    const base = new URL(share.root).pathname;
    const below = path.slice(base.length - this.folder.length).replace(/\/$/, '');
    const { tree, permissions } = share;
    await this.answerContent({ request, response, tree, path: below, base, permissions });
  }

  private async answerContent(call: DavCall): Promise<void> {
    this.busy += 1;
    call.response.once('close', () => (this.busy -= 1));
    const fault = this.faultOf(call.request);
    if (fault !== undefined) misbehave(fault, call);
    else await answerDav(call);
  }

  /** Requests without a key get the faults of OPTIONS and those of the whole server. */
  private answerUnknownToken(request: IncomingMessage, response: ServerResponse): void {
    const fault = request.method === 'OPTIONS' ? this.faultOf(request) : undefined;
    if (fault === undefined)
      return reply(response, this.refusal(request.headers.authorization), '', 'text/plain');
    misbehave(fault, { request, response, tree: new DavTree(), path: '', base: '', permissions: 0 });
  }

  private faultOf({ method }: IncomingMessage): DavFault | undefined {
    const { fault } = this;
    if (!fault || (fault.method ?? method) !== method || fault.times-- <= 0) return undefined;
    return fault.fault;
  }

  /** As observed: OpenCloud answers 500 to an unknown secret. */
  private refusal(authorization = ''): number {
    return this.flavour === 'opencloud' && !authorization.startsWith('Basic ') ? 500 : 401;
  }

  private async answerMessage(
    method: string,
    path: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const body = await text(request);
    if (method === 'POST' && path === '/ocm/token')
      return this.keys.exchange(new URLSearchParams(body), response);
    if (method === 'POST') return replyJson(response, 201, []);
    const found = this.flavour === 'owncloud' ? '/ocm-provider/' : '/.well-known/ocm';
    if (method === 'GET' && path === found) return replyJson(response, 200, this.discovery());
    if (method === 'GET' && path === '/status.php')
      return replyJson(response, 200, { installed: true, maintenance: false, version: '10.15.0.0' });
    reply(response, 404, '', 'text/plain');
  }

  private discovery(): object {
    const protocols = { webdav: `${ROOTS[this.flavour]}/` };
    const tokenEndPoint = this.options.exchange ? `${this.url}/ocm/token` : undefined;
    const common = { enabled: true, endPoint: `${this.url}/ocm`, tokenEndPoint };
    if (this.flavour === 'owncloud')
      return { ...common, apiVersion: '1.0-proposal1', shareTypes: [{ name: 'file', protocols }] };
    const resourceTypes = ['file', 'folder'].map((name) => ({ name, shareTypes: ['user'], protocols }));
    return { ...common, ...ABOUT[this.flavour], resourceTypes };
  }
}

const ABOUT = {
  opencloud: { apiVersion: '1.1.0', provider: 'OpenCloud', capabilities: ['/invite-accepted'] },
  reva: { apiVersion: '1.3.0', capabilities: ['protocol-object'], criteria: ['must-invite'] },
} as const;
