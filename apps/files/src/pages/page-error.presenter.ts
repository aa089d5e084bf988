import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AuthenticationFailed, BudgetSpent, type AuthenticationFailure } from '#identity';
import { httpStatusOf, LOGGER, PRODUCT_NAME, Unavailable, type ErrorPresenter, type Logger } from '#platform';
import { LinkUnavailable, TreeFailure } from '#storage';
import { viewOnlyContent } from '../links/link-page-content';
import { markup } from './html';
import { PageReply } from './page-reply';

/** Pages of public links, addresses of files for signed-in users, the page for saving links of other servers, and that for invitations. */
const PATHS = /^\/(?:index\.php\/)?(?:(?:[sf]|apps\/files)(?:[/?]|$)|apps\/ocm\/invitation(?:\?|$))/;
/** Signing in may help. */
const NOT_SIGNED_IN: ReadonlySet<AuthenticationFailure> = new Set(['missing', 'wrong', 'disabled']);

/** Answers failures on pages: everything that is not there, or not shown to the caller, looks the same. */
@Injectable()
export class PageErrorPresenter implements ErrorPresenter {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  handles(request: FastifyRequest): boolean {
    return PATHS.test(request.url);
  }

  present(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    if (error instanceof AuthenticationFailed && NOT_SIGNED_IN.has(error.reason)) {
      reply.header('www-authenticate', `Basic realm="${PRODUCT_NAME}", charset="UTF-8"`);
      const text = markup`<p>Sign in to go on.</p>`;
      return new PageReply(401, 'Sign in', text).write(reply);
    }
    this.pageOf(error, request).write(reply);
  }

  private pageOf(error: unknown, request: FastifyRequest): PageReply {
    if (error instanceof AuthenticationFailed || error instanceof BudgetSpent) {
      const text = markup`<p>There were too many attempts. Try again later.</p>`;
      const isBusy = error instanceof AuthenticationFailed && error.reason === 'busy';
      const status = isBusy ? 503 : 429;
      return new PageReply(status, 'Not now', text, error.retryAfterSeconds);
    }
    if (error instanceof Unavailable) {
      const text = markup`<p>This cannot be shown at the moment. Try again later.</p>`;
      return new PageReply(503, 'Not now', text, error.retryAfterSeconds);
    }
    if (error instanceof TreeFailure && error.code === 'view-only')
      return new PageReply(403, 'View-only', viewOnlyContent());
    const status =
      error instanceof LinkUnavailable || error instanceof TreeFailure ? 404 : httpStatusOf(error);
    if (status < 500) {
      const title = status === 404 ? 'Nothing here' : 'This cannot be answered';
      return new PageReply(status, title, markup`<p>There is nothing behind this link, or not any more.</p>`);
    }
    this.logger.error({ err: error, requestId: request.id }, 'request failed');
    return new PageReply(500, 'This went wrong', markup`<p>The page could not be made. Try again later.</p>`);
  }
}
