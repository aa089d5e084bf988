import type { FastifyReply } from 'fastify';
import { EdgeReply } from '#platform';

/** Plain JSON, as partners' servers expect it. */
export class JsonReply extends EdgeReply {
  constructor(
    private readonly status: number,
    private readonly body: object,
    private readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super();
  }

  write(reply: FastifyReply): void {
    void reply
      .code(this.status)
      .header('content-type', 'application/json; charset=utf-8')
      .header('cache-control', 'no-store')
      .headers(this.headers)
      // Sent as bytes: to a text the framework would add a charset.
      .send(Buffer.from(JSON.stringify(this.body)));
  }
}
