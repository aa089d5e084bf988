import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AuthenticationFailed, BudgetSpent, type AuthenticationFailure } from '#identity';
import { httpStatusOf, LOGGER, PRODUCT_NAME, Unavailable, type ErrorPresenter, type Logger } from '#platform';
import { CachedPolicy, InMaintenance } from '#settings';
import { differencesOf } from '#sharing';
import { DavFailure, TreeFailure, writeDavError, type DavFailureCode } from '#storage';
import { AccessSuspended } from '../partners/access-suspended';
import { answerOfStatus, DAV_ANSWERS, TREE_ANSWERS, type DavAnswer } from './dav-failure-table';
import { ALLOWED_METHODS, isDavPath, isPartnersPath } from './dav-routes';

/** Answers failures of the WebDAV interface with the body that its clients read. */
@Injectable()
export class DavErrorPresenter implements ErrorPresenter {
  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly policy: CachedPolicy,
  ) {}

  handles(request: FastifyRequest): boolean {
    return isDavPath(request.url);
  }

  present(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    if (error instanceof AuthenticationFailed) return this.presentUnauthenticated(error, request, reply);
    if (error instanceof InMaintenance) {
      reply.header('retry-after', error.retryAfterSeconds);
      return send(reply, UNAVAILABLE, 'System in maintenance mode.');
    }
    if (error instanceof AccessSuspended || error instanceof BudgetSpent || error instanceof Unavailable) {
      reply.header('retry-after', error.retryAfterSeconds);
      return send(reply, UNAVAILABLE, 'Not available at the moment');
    }
    if (error instanceof TreeFailure) {
      const mayWorkLater = error.code === 'unavailable' ? RETRY_AFTER_FAILURE_SECONDS : undefined;
      const retryAfter = error.retryAfterSeconds ?? mayWorkLater;
      if (retryAfter !== undefined) reply.header('retry-after', Math.ceil(retryAfter));
      return send(reply, TREE_ANSWERS[error.code], error.message);
    }
    if (error instanceof DavFailure) {
      if (error.code === 'method-not-allowed') reply.header('allow', ALLOWED_METHODS);
      return send(reply, this.answerTo(error.code), error.message);
    }
    const answer = answerOfStatus(httpStatusOf(error));
    if (answer.status >= 500) this.logger.error({ err: error, requestId: request.id }, 'request failed');
    if (answer.status >= 500 && isPartnersPath(request.url)) {
      reply.header('retry-after', RETRY_AFTER_FAILURE_SECONDS);
      return send(reply, UNAVAILABLE, 'The request could not be answered at the moment');
    }
    send(
      reply,
      answer,
      answer.status === 404 ? 'There is no such WebDAV endpoint' : 'The request could not be answered',
    );
  }

  private answerTo(code: DavFailureCode): DavAnswer {
    const { infiniteDepthIsPrecondition } = differencesOf(this.policy.compatibility);
    const isFailedPrecondition = code === 'finite-depth' && infiniteDepthIsPrecondition;
    return DAV_ANSWERS[isFailedPrecondition ? 'precondition-failed' : code];
  }

  private presentUnauthenticated(
    error: AuthenticationFailed,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    const isCrowded = error.reason === 'throttled' && isPartnersPath(request.url);
    const [answer, message] = UNAUTHENTICATED[isCrowded ? 'busy' : error.reason];
    if (error.retryAfterSeconds !== undefined)
      reply.header('retry-after', Math.ceil(error.retryAfterSeconds));
    if (answer.status === 401) reply.header('www-authenticate', challengeFor(request));
    // Scripts of deployed web pages look for these words to ask for a link's password again.
    const ofLinkByScript = isByScript(request) && request.url.startsWith('/public.php');
    const wrongByScript = ofLinkByScript && error.reason === 'wrong';
    send(reply, answer, wrongByScript ? 'Cannot authenticate over ajax calls' : message);
  }
}

const RETRY_AFTER_FAILURE_SECONDS = 60;

const NOT_AUTHENTICATED: DavAnswer = { status: 401, exception: 'Sabre\\DAV\\Exception\\NotAuthenticated' };

const UNAVAILABLE: DavAnswer = { status: 503, exception: 'Sabre\\DAV\\Exception\\ServiceUnavailable' };

const UNAUTHENTICATED: Readonly<Record<AuthenticationFailure, readonly [DavAnswer, string]>> = {
  missing: [NOT_AUTHENTICATED, "No 'Authorization: Basic' header found."],
  wrong: [NOT_AUTHENTICATED, 'Username or password was incorrect'],
  disabled: [NOT_AUTHENTICATED, 'User disabled'],
  throttled: [{ status: 429, exception: 'TooManyRequests' }, 'Too many failed attempts'],
  busy: [UNAVAILABLE, 'Service unavailable'],
};

/** Browsers open their own dialogue on `Basic`, which scripts on a page cannot prevent otherwise. */
function challengeFor(request: FastifyRequest): string {
  return `${isByScript(request) ? 'DummyBasic' : 'Basic'} realm="${PRODUCT_NAME}", charset="UTF-8"`;
}

const isByScript = (request: FastifyRequest): boolean =>
  request.headers['x-requested-with'] === 'XMLHttpRequest';

function send(reply: FastifyReply, answer: DavAnswer, message: string): void {
  void reply
    .code(answer.status)
    .type('application/xml; charset=utf-8')
    .send(writeDavError(answer.exception, message, answer.condition));
}
