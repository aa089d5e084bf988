import { replyJson, startFakeServer, type FakeServer, type RecordedRequest } from '../../libs/testing/src';
import {
  checkSignature,
  publishedKeys,
  type SignatureFound,
} from '../../libs/testing/src/partners/signature-check';

/** A message that it got, with the result of the check of its signature. */
export interface CheckedMessage {
  readonly request: RecordedRequest;
  readonly found: SignatureFound;
}

/** A partner that accepts nothing unsigned: it checks like Nextcloud, with keys that it reads from the signer. */
export class StrictPartner {
  private readonly checked: CheckedMessage[] = [];
  private readonly keys = publishedKeys();
  private server: FakeServer | undefined;

  private constructor(private readonly capabilities: readonly string[]) {}

  /** @param capabilities `http-sig` if it checks RFC 9421 */
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

  /** In the order of their arrival. */
  get messages(): readonly CheckedMessage[] {
    return this.checked;
  }

  /** Result of another check of an earlier message; with `forgot` the partner reads our keys again. */
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
