import type { FastifyReply } from 'fastify';
import { EdgeReply } from '#platform';

const PRIVATE = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

/** The answer to a server or a client. */
export class SavedLinkReply extends EdgeReply {
  constructor(
    readonly status: number,
    private readonly body: object | string | false,
    private readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super();
  }

  write(reply: FastifyReply): void {
    const text = Buffer.from(JSON.stringify(this.body));
    void reply
      .code(this.status)
      .headers(PRIVATE)
      .headers(this.headers)
      .type('application/json; charset=utf-8')
      .send(text);
  }
}

/** Sends a person's browser back to the page of the link, which shows the result. */
export class BackToLinkReply extends EdgeReply {
  constructor(private readonly location: string) {
    super();
  }

  write(reply: FastifyReply): void {
    void reply.code(303).headers(PRIVATE).header('location', this.location).send();
  }
}
