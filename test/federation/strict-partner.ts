import { replyJson, startFakeServer, type FakeServer, type RecordedRequest } from '../../libs/testing/src';
import {
  checkSignature,
  publishedKeys,
  type SignatureFound,
} from '../../libs/testing/src/partners/signature-check';

/** A message that it got, with what it says of its signature. */
export interface CheckedMessage {
  readonly request: RecordedRequest;
  readonly found: SignatureFound;
}

/** A partner that takes nothing unsigned: it checks as Nextcloud does, by keys that it fetches where the signer publishes them. */
export class StrictPartner {
  private readonly checked: CheckedMessage[] = [];
  private readonly keys = publishedKeys();
  private server: FakeServer | undefined;

  private constructor(private readonly capabilities: readonly string[]) {}

  /** @param capabilities `http-sig` where it checks RFC 9421 */
  static async start(capabilities: readonly string[]): Promise<StrictPartner> {
    const partner = new StrictPartner(capabilities);
    partner.server = await startFakeServer((request, response) => {
      if (request.path === '/.well-known/ocm') return replyJson(response, 200, partner.discovery());
      if (request.method !== 'POST') return replyJson(response, 404, {});
      void partner.take(request).then(({ fault }) => {
        const answer = fault === null ? { recipientDisplayName: 'Bea' } : { message: fault };
        replyJson(response, fault === null ? 201 : 400, answer);
      });
    });
    return partner;
  }

  get url(): string {
    return this.server!.url;
  }

  /** In the order in which they came. */
  get messages(): readonly CheckedMessage[] {
    return this.checked;
  }

  /** Result of checking an earlier message again; with `forgot` the partner fetches our keys again. */
  again({ request }: CheckedMessage, forgot = false): Promise<SignatureFound> {
    return checkSignature(request, this.url, forgot ? publishedKeys() : this.keys);
  }

  close(): Promise<void> {
    return this.server!.close();
  }

  private async take(request: RecordedRequest): Promise<SignatureFound> {
    const found = await checkSignature(request, this.url, this.keys);
    this.checked.push({ request, found });
    return found;
  }

  private discovery(): object {
    return {
      enabled: true,
      apiVersion: '1.1.0',
      endPoint: `${this.url}/ocm`,
      provider: 'Nextcloud',
      resourceTypes: [{ name: 'file', shareTypes: ['user'], protocols: { webdav: '/public.php/webdav/' } }],
      capabilities: ['notifications', 'shares', ...this.capabilities],
    };
  }
}
