import type { ServerResponse } from 'node:http';
import { replyJson, startFakeServer, type FakeServer, type RecordedRequest } from '.';

/** An account of the server. */
export interface OpenCloudAccount {
  readonly id: string;
  readonly mail: string;
  readonly name: string;
}

const NOT_RECOGNISED = { code: 'INVALID_PARAMETER', message: 'protocol options not supported' };

/**
 * A server that behaves as recorded from a running OpenCloud, for invitations, offers and notifications: it gives out each
 * account as base64 of `id@https://host`, finds it only by its plain id, accepts no protocol options, and answers 200 in plain
 * text to accepted calls.
 */
export class OpenCloudPartner {
  private server: FakeServer | undefined;

  private constructor(private readonly account: OpenCloudAccount) {}

  static async start(account: OpenCloudAccount): Promise<OpenCloudPartner> {
    const partner = new OpenCloudPartner(account);
    partner.server = await startFakeServer((request, response) => partner.answer(request, response));
    return partner;
  }

  /** `host:port` */
  get host(): string {
    return `127.0.0.1:${this.server!.port}`;
  }

  /** The id of its account for other servers. */
  get encodedId(): string {
    return Buffer.from(`${this.account.id}@https://${this.host}`).toString('base64');
  }

  /** Received bodies at one of its OCM addresses, in order. */
  received(name: 'invite-accepted' | 'shares' | 'notifications'): Record<string, unknown>[] {
    const messages = this.server!.requests.filter(({ path }) => path === `/ocm/${name}`);
    return messages.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  }

  close(): Promise<void> {
    return this.server!.close();
  }

  private answer({ path, body }: RecordedRequest, response: ServerResponse): void {
    if (path === '/.well-known/ocm') return replyJson(response, 200, this.discovery());
    if (path === '/ocm/invite-accepted') {
      const { id: _id, mail: email, name } = this.account;
      return replyText(response, 200, JSON.stringify({ userID: this.encodedId, email, name }));
    }
    if (path === '/ocm/shares') return this.takeOffer(JSON.parse(body) as Offer, response);
    if (path === '/ocm/notifications') return replyText(response, 201, '');
    replyJson(response, 404, {});
  }

  private takeOffer({ shareWith, protocol }: Offer, response: ServerResponse): void {
    if (Object.keys(protocol.options ?? {}).length > 0) return replyJson(response, 400, NOT_RECOGNISED);
    const user = shareWith.slice(0, shareWith.lastIndexOf('@'));
    if (user === this.account.id) return replyText(response, 200, '{}\n');
    replyJson(response, 404, { code: 'RESOURCE_NOT_FOUND', message: 'user not found' });
  }

  private discovery(): object {
    return {
      enabled: true,
      apiVersion: '1.1.0',
      endPoint: `${this.server!.url}/ocm`,
      provider: 'OpenCloud',
      resourceTypes: [{ name: 'file', shareTypes: ['user'], protocols: { webdav: '/dav/ocm' } }],
      capabilities: ['/invite-accepted'],
    };
  }
}

interface Offer {
  readonly shareWith: string;
  readonly protocol: { readonly options?: object };
}

function replyText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
}
