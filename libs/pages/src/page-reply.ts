import type { FastifyReply } from 'fastify';
import { EdgeReply, PRODUCT_NAME } from '#platform';
import { clientAssets, type ClientEntry } from './client-assets';
import { type Html, markup } from './html';
import type { Language } from './language';

/** Pages contain names from strangers, so no scripts run in them, nothing of other hosts is loaded, and nobody may frame them. */
const FORMS = "form-action 'self'";
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  FORMS,
  "base-uri 'none'",
  "frame-ancestors 'none'",
];
/** Policy of a page whose program contacts this host, and shows contents in frames without an origin. */
const LIVE_POLICY = [...POLICY, "script-src 'self'", "connect-src 'self'", "frame-src 'self'"];

export interface PageOptions {
  readonly language?: Language;
  readonly retryAfterSeconds?: number;
  /** The program that makes the page easier to use; the page also works without it. */
  readonly program?: ClientEntry | undefined;
  /** Origin of another server to which a form of the page may post; absent for none. */
  readonly postsTo?: string;
}

/** A page of HTML that works without scripts. */
export class PageReply extends EdgeReply {
  constructor(
    private readonly status: number,
    private readonly title: string,
    private readonly content: Html,
    private readonly options: PageOptions = {},
  ) {
    super();
  }

  write(reply: FastifyReply): void {
    const { retryAfterSeconds, program, postsTo } = this.options;
    const policy = (program ? LIVE_POLICY : POLICY).join('; ');
    if (retryAfterSeconds !== undefined) reply.header('retry-after', Math.ceil(retryAfterSeconds));
    void reply
      .code(this.status)
      .headers({
        'content-security-policy': postsTo ? policy.replace(FORMS, `form-action ${postsTo}`) : policy,
        'x-content-type-options': 'nosniff',
        // Addresses of pages contain tokens and signatures.
        'referrer-policy': 'no-referrer',
        'x-robots-tag': 'noindex, nofollow',
        'cache-control': 'no-store',
      })
      .type('text/html; charset=utf-8')
      .send(`<!doctype html>\n${this.document(rootSeenFrom(reply.request.url)).text}\n`);
  }

  private document(root: string): Html {
    const { language = 'en', program: name } = this.options;
    const { styles } = clientAssets('guest');
    const links = styles.map((style) => markup`<link rel="stylesheet" href="${root}web/${style}">`);
    const program = name
      ? markup`<script type="module" src="${root}web/${clientAssets(name).script}"></script>`
      : markup``;
    return markup`<html lang="${language}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<meta name="root" content="${root}"><link rel="icon" href="${root}web/assets/icon.svg">
<title>${this.title} - ${PRODUCT_NAME}</title>${links}${program}</head>
<body class="plain"><header><strong class="product">${PRODUCT_NAME}</strong></header><main id="content">
<h1>${this.title}</h1>
${this.content}</main></body></html>`;
  }
}

/** Root of the instance, relative to an address: a proxy may add a path that requests do not have here. */
const rootSeenFrom = (url: string): string =>
  '../'.repeat(url.replace(/\?.*$/, '').split('/').length - 2) || './';

/** Redirects the browser to another address of this instance. */
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
