import type { IncomingMessage, Server } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { basicAuth } from '../../libs/testing/src';
import { SharingWorld } from '../api/sharing-world';
import { PASSWORD } from '../edge/edge-client';

/** A gateway for clients that are separate programs, and folders for them. */
export class ClientWorld {
  /** Methods and addresses of all requests, as the clients sent them. */
  readonly requests: { readonly method: string; readonly url: string }[] = [];
  private readonly home = mkdtempSync(join(tmpdir(), 'drawbridge-clients-'));

  private constructor(readonly sharing: SharingWorld) {
    const server: Server = sharing.gateway.instance.app.nest.getHttpServer();
    server.on('request', ({ method = '', url = '' }: IncomingMessage) => this.requests.push({ method, url }));
  }

  static async start(env: Readonly<Record<string, string>> = {}): Promise<ClientWorld> {
    return new ClientWorld(await SharingWorld.start({ compatibility: 'owncloud10', env }));
  }

  async stop(): Promise<void> {
    await this.sharing.stop();
    rmSync(this.home, { recursive: true, force: true });
  }

  get url(): string {
    return this.sharing.gateway.url;
  }

  /** Path of a new, empty folder. */
  folder(name: string): string {
    return mkdtempSync(join(this.home, `${name}-`));
  }

  /** A request by a user, in the role of another device. */
  dav(
    uid: string,
    method: string,
    path: string,
    { body, headers }: { readonly body?: string; readonly headers?: Record<string, string> } = {},
  ): Promise<Response> {
    const address = path.split('/').map(encodeURIComponent).join('/');
    return fetch(`${this.url}/remote.php/webdav${address}`, {
      method,
      headers: { authorization: basicAuth(uid, PASSWORD), ...headers },
      body,
    });
  }

  async text(uid: string, path: string): Promise<string> {
    return (await this.dav(uid, 'GET', path)).text();
  }

  /** Names in a folder of a user, sorted. */
  async names(uid: string, path: string): Promise<string[]> {
    const reply = await this.dav(uid, 'PROPFIND', path, { headers: { depth: '1' } });
    const hrefs = [...(await reply.text()).matchAll(/<d:href>(.*?)<\/d:href>/g)].map((match) => match[1]!);
    return hrefs
      .slice(1)
      .map((href) => decodeURIComponent(href.replace(/\/$/, '').split('/').at(-1)!))
      .sort();
  }

  /** Lists the uploads and downloads during `work`. */
  async transfersOf(work: () => Promise<unknown>): Promise<string[]> {
    const before = this.requests.length;
    await work();
    return this.requests
      .slice(before)
      .filter(
        ({ method, url }) =>
          ['PUT', 'GET', 'PATCH'].includes(method) &&
          /\/remote\.php\/(?:webdav|dav\/(?:files|uploads|tus))\//.test(url),
      )
      .map(({ method, url }) => `${method} ${url}`);
  }
}
