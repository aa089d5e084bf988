import type { FastifyReply } from 'fastify';
import { EdgeReply } from '#platform';

/** An answer in the media type of SCIM, with or without a body. */
export class ScimReply extends EdgeReply {
  constructor(
    private readonly status: number,
    private readonly body?: object,
    private readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super();
  }

  write(reply: FastifyReply): void {
    reply.code(this.status).header('cache-control', 'no-store').headers(this.headers);
    if (this.body === undefined) void reply.send();
    else
      void reply
        .header('content-type', 'application/scim+json; charset=utf-8')
        .send(JSON.stringify(this.body));
  }
}
