import type { FastifyReply } from 'fastify';
import { NO_CACHE } from '#ocs/http';

/** A document that pages of every origin may read. */
export function answerPublicly(reply: FastifyReply, type: string, content: object): void {
  void reply
    .header('content-type', type)
    .header('access-control-allow-origin', '*')
    .header('cache-control', NO_CACHE)
    .send(Buffer.from(JSON.stringify(content)));
}

export const notThere = (reply: FastifyReply): void => void reply.code(404).send({ error: 'not-found' });
