import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Config } from '../config/table';

/** Headers of every answer unless its route sets others: browsers do not run, frame or sniff content, and send no referrer. */
const ALWAYS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-permitted-cross-domain-policies': 'none',
};
const A_YEAR_SECONDS = 31_536_000;

/** Sets the headers of an answer; used by the request's hooks and by code that answers before them. */
export type Secure = (reply: FastifyReply) => void;

/** Browsers are told to use only https if clients reach the instance by https. */
export function securityHeaders(config: Pick<Config, 'PUBLIC_URL'>): Secure {
  const isSecure = config.PUBLIC_URL?.startsWith('https:') ?? false;
  const headers = isSecure ? { ...ALWAYS, 'strict-transport-security': `max-age=${A_YEAR_SECONDS}` } : ALWAYS;
  return (reply) => void reply.headers(headers);
}

export function addSecurityHeaders(instance: FastifyInstance, secure: Secure): void {
  instance.addHook('onRequest', (_request, reply, done) => {
    secure(reply);
    done();
  });
}
