import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FederationRefused, ocmRefusal } from '#federation/protocol';
import { BudgetSpent } from '#identity';
import { httpStatusOf, LOGGER, Unavailable, type ErrorPresenter, type Logger } from '#platform';
import { RETRY_AFTER_SECONDS } from '../admission';
import { JsonReply } from '../json-reply';

const OCM_PATHS = /^\/(?:ocm|ocm-provider|ocs-provider|\.well-known)(?:[/?]|$)/;
/** Existing paths, with their verb. */
const VERBS: readonly (readonly [RegExp, string])[] = [
  [/^\/ocm\/(?:shares|request-share|notifications|token|invite-accepted|invited-accepted)(?:\?|$)/, 'POST'],
  [/^\/ocm\/wayf(?:\?|$)/, 'GET, HEAD'],
  [/^\/(?:\.well-known\/ocm|ocm-provider\/?|ocs-provider\/?)(?:\?|$)/, 'GET, HEAD'],
];

/** Answers failures on the paths of partners: `{"message": ...}`. */
@Injectable()
export class OcmErrorPresenter implements ErrorPresenter {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  handles(request: FastifyRequest): boolean {
    return OCM_PATHS.test(request.url);
  }

  present(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    if (error instanceof FederationRefused) {
      const { status, body } = ocmRefusal(error);
      return new JsonReply(status, body, retryHeaders(status)).write(reply);
    }
    if (error instanceof BudgetSpent) {
      const headers = { 'retry-after': String(error.retryAfterSeconds) };
      return new JsonReply(429, { message: 'Too many requests' }, headers).write(reply);
    }
    if (error instanceof Unavailable) {
      const headers = { 'retry-after': String(error.retryAfterSeconds) };
      return new JsonReply(503, { message: 'Not available at the moment' }, headers).write(reply);
    }
    const status = httpStatusOf(error);
    if (status === 404) return this.presentUnknown(request, reply);
    if (status < 500) return new JsonReply(status, { message: 'Bad request' }).write(reply);
    this.logger.error({ err: error, requestId: request.id, url: request.routeOptions.url }, 'request failed');
    new JsonReply(500, { message: 'Internal server error' }).write(reply);
  }

  private presentUnknown(request: FastifyRequest, reply: FastifyReply): void {
    const allowed = VERBS.find(([path]) => path.test(request.url))?.[1];
    if (allowed === undefined) return new JsonReply(404, { message: 'Not found' }).write(reply);
    void reply.code(405).header('allow', allowed).send();
  }
}

function retryHeaders(status: number): Record<string, string> {
  return status === 503 ? { 'retry-after': String(RETRY_AFTER_SECONDS) } : {};
}
