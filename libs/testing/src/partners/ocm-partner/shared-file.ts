import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { reply, replyJson, type RecordedRequest } from '..';
import type { Draft } from './sentences';

/** A file of a strict server, which is opened with tokens in exchange for its secret. */
export class SharedFile {
  readonly providerId = randomUUID();
  readonly secret = randomUUID();
  private readonly tokens = new Set<string>();

  constructor(
    readonly name: string,
    readonly content: { text: string },
    /** Host of its recipient's server. */
    readonly recipientHost: string,
  ) {}

  /** A token for the secret. */
  token(): string {
    const token = randomUUID();
    this.tokens.add(token);
    return token;
  }

  /** Answers a request for the content. */
  serve(draft: Draft, { method, path, headers, body }: RecordedRequest, response: ServerResponse): void {
    const [, scheme, given] = /^(\S+) (.*)$/.exec(headers.authorization ?? '') ?? [];
    const isBearer = draft.holds('access.bearer', /^bearer$/i.test(scheme ?? ''), headers.authorization);
    const showsSecret = (headers.authorization ?? '').includes(this.secret);
    if (!draft.holds('access.token', !showsSecret) || !isBearer || !this.tokens.has(given!))
      return replyJson(response, 401, { message: 'not open' });
    if (method === 'PROPFIND') return reply(response, 207, this.listing(path), 'application/xml');
    if (method === 'GET') return reply(response, 200, this.content.text, 'text/plain');
    if (method !== 'PUT') return reply(response, 405, '', 'text/plain');
    this.content.text = body;
    reply(response, 204, '', 'text/plain');
  }

  private listing(path: string): string {
    const { text } = this.content;
    const properties = `<d:resourcetype/><d:getcontentlength>${Buffer.byteLength(text)}</d:getcontentlength>
      <d:getetag>"${text.length}"</d:getetag><d:getlastmodified>Sun, 06 Nov 2022 08:49:37 GMT</d:getlastmodified>`;
    return `<?xml version="1.0"?><d:multistatus xmlns:d="DAV:"><d:response><d:href>${path}</d:href><d:propstat>
      <d:prop>${properties}</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response></d:multistatus>`;
  }
}
