import type { FastifyReply } from 'fastify';
import { EdgeReply } from '#platform';

/** One line of text. */
export class PlainReply extends EdgeReply {
  constructor(
    private readonly status: number,
    private readonly text: string,
  ) {
    super();
  }

  write(reply: FastifyReply): void {
    void reply.code(this.status).type('text/plain; charset=utf-8').send(`${this.text}\n`);
  }
}
