import { hash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { EdgeReply, PRODUCT_NAME } from '#platform';
import { Html, markup } from './html';

const STYLE =
  'body{font:1rem/1.5 sans-serif;max-width:44rem;margin:3rem auto;padding:0 1rem;overflow-wrap:anywhere}' +
  'td{padding:.1rem 1rem .1rem 0}';

/** Pages hold what strangers named: nothing runs in them, nothing is loaded, and nobody frames them. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** A page of HTML without scripts. */
export class PageReply extends EdgeReply {
  constructor(
    private readonly status: number,
    private readonly title: string,
    private readonly content: Html,
    private readonly retryAfterSeconds?: number,
  ) {
    super();
  }

  write(reply: FastifyReply): void {
    if (this.retryAfterSeconds !== undefined) reply.header('retry-after', Math.ceil(this.retryAfterSeconds));
    void reply
      .code(this.status)
      .headers({
        'content-security-policy': POLICY,
        'x-content-type-options': 'nosniff',
        // Addresses of pages hold tokens and signatures.
        'referrer-policy': 'no-referrer',
        'x-robots-tag': 'noindex, nofollow',
        'cache-control': 'no-store',
      })
      .type('text/html; charset=utf-8')
      .send(`<!doctype html>\n${this.document().text}\n`);
  }

  private document(): Html {
    // The style stands between the tags to the letter: its digest is in the policy.
    return markup`<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${this.title} - ${PRODUCT_NAME}</title><style>${new Html(STYLE)}</style></head>
<body><h1>${this.title}</h1>
${this.content}</body></html>`;
  }
}

/** Sends the browser on to another address of this instance. */
export class RedirectReply extends EdgeReply {
  constructor(
    private readonly location: string,
    private readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super();
  }

  write(reply: FastifyReply): void {
    void reply
      .code(303)
      .headers({ location: this.location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
      .headers(this.headers)
      .send();
  }
}
