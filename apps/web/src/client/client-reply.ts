import type { FastifyReply } from 'fastify';
import { EdgeReply } from '#platform';
import type { ClientFile } from './client-files';

/** Only scripts, styles and pictures of this host; none inside of the document, and no page may frame it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');
/** Scripts of this host run without its origin: contents cannot reach sessions or pages, and nothing leaves the frame. */
const VIEWER_POLICY = [
  'sandbox allow-scripts',
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "media-src 'self' blob:",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
].join('; ');
const A_YEAR_SECONDS = 31_536_000;

/** The document of the pages. */
export class ClientDocumentReply extends EdgeReply {
  constructor(private readonly document: string) {
    super();
  }

  write(reply: FastifyReply): void {
    void reply
      .headers({
        'content-security-policy': POLICY,
        'referrer-policy': 'no-referrer',
        'x-robots-tag': 'noindex, nofollow',
        'cache-control': 'no-store',
      })
      .type('text/html; charset=utf-8')
      .send(this.document);
  }
}

/** The frame that shows contents, which only pages of this instance can open. */
export class ViewerReply extends EdgeReply {
  constructor(private readonly document: string) {
    super();
  }

  write(reply: FastifyReply): void {
    void reply
      .headers({
        'content-security-policy': VIEWER_POLICY,
        'x-frame-options': 'SAMEORIGIN',
        'referrer-policy': 'no-referrer',
        'x-robots-tag': 'noindex, nofollow',
        'cache-control': 'no-store',
      })
      .type('text/html; charset=utf-8')
      .send(this.document);
  }
}

/** A file of the pages. Its name changes with its content, so browsers cache it. */
export class ClientFileReply extends EdgeReply {
  constructor(
    private readonly file: ClientFile,
    private readonly acceptEncoding: string,
  ) {
    super();
  }

  write(reply: FastifyReply): void {
    const encoding = (['br', 'gzip'] as const).find((one) =>
      new RegExp(`\\b${one}\\b`).test(this.acceptEncoding),
    );
    if (encoding) void reply.header('content-encoding', encoding);
    void reply
      .headers({
        'cache-control': `public, max-age=${A_YEAR_SECONDS}, immutable`,
        // Frames without an origin read them, too, and they are not secret.
        'access-control-allow-origin': '*',
        vary: 'Accept-Encoding',
      })
      .type(this.file.mediaType)
      .send(this.file[encoding ?? 'identity']);
  }
}
