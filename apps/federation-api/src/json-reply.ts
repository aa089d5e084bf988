import type { FastifyReply } from 'fastify';
import { EdgeReply } from '#platform';

/** Plain JSON, as servers of partners expect it. */
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
      // As bytes: to a text the framework would add a charset of its own.
      .send(Buffer.from(JSON.stringify(this.body)));
  }
}
