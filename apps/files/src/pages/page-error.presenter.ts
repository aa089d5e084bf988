import { Inject, Injectable } from '@nestjs/common';
import { languageOf, PageReply, type Language } from '#pages';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { WebappRefused } from '#federation/exchange';
import { RemoteFailure } from '#federation/remote-files';
import { AuthenticationFailed, BudgetSpent, type AuthenticationFailure } from '#identity';
import {
  httpStatusOf,
  LOGGER,
  PRODUCT_NAME,
  PublicAddress,
  Unavailable,
  type ErrorPresenter,
  type Logger,
} from '#platform';
import { BlobStoreFull, DavFailure, LinkUnavailable, TreeFailure } from '#storage';
import { DAV_ANSWERS, TREE_ANSWERS } from '../dav/dav-failure-table';
import { AccessSuspended } from '../partners/access-suspended';
import { failurePage } from './failure-page';
import { isFromBrowser, toSignIn } from './sign-in-first';

/**
 * Pages of public links, addresses of files for signed-in users, the page for saving links of other servers, the page for invitations, and
 * those that open web applications.
 */
const PATHS =
  /^\/(?:index\.php\/)?(?:(?:[sf]|apps\/files)(?:[/?]|$)|core\/preview|avatar(?:[/?]|$)|apps\/(?:ocm\/(?:invitation(?:\?|$)|(?:open|app)\/)|files_sharing\/(?:ajax\/)?publicpreview))/;
const LINK_PAGE = /^\/(?:index\.php\/)?s\//;
/** Pages for signed-in people, to which links of others lead a browser that may have no session here. */
const PAGE_OF_ACCOUNTS = /^\/(?:index\.php\/)?(?:f\/|apps\/(?:ocm\/open\/|files\/?(?:\?|$)))/;
/** Refusals that a sign-in may resolve. */
const REFUSED: ReadonlySet<AuthenticationFailure> = new Set(['not-granted', 'second-factor-needed']);
const NOT_SIGNED_IN: ReadonlySet<AuthenticationFailure> = new Set(['missing', 'wrong']);

/** Answers failures on pages: missing pages and hidden ones look the same. */
@Injectable()
export class PageErrorPresenter implements ErrorPresenter {
  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly publicAddress: PublicAddress,
  ) {}

  handles(request: FastifyRequest): boolean {
    return PATHS.test(request.url);
  }

  present(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const language = languageOf(request.headers);
    const root = this.publicAddress.path;
    if (needsSignIn(error) && PAGE_OF_ACCOUNTS.test(request.url) && isFromBrowser(request))
      return toSignIn(root, request).write(reply);
    if (error instanceof AuthenticationFailed && NOT_SIGNED_IN.has(error.reason)) {
      reply.header('www-authenticate', `Basic realm="${PRODUCT_NAME}", charset="UTF-8"`);
      return failurePage(401, 'signIn', language).write(reply);
    }
    if (error instanceof TreeFailure && error.code === 'account-needed' && LINK_PAGE.test(request.url))
      return toSignIn(root, request).write(reply);
    this.pageOf(error, request, language).write(reply);
  }

  private pageOf(error: unknown, request: FastifyRequest, language: Language): PageReply {
    if (error instanceof AuthenticationFailed && error.reason === 'disabled')
      return failurePage(403, 'disabled', language);
    if (error instanceof AuthenticationFailed && REFUSED.has(error.reason))
      return failurePage(403, 'refused', language);
    if (error instanceof AuthenticationFailed || error instanceof BudgetSpent) {
      const isBusy = error instanceof AuthenticationFailed && error.reason === 'busy';
      return failurePage(isBusy ? 503 : 429, 'tooMany', language, error.retryAfterSeconds);
    }
    if (error instanceof Unavailable || error instanceof AccessSuspended || isForLater(error))
      return failurePage(503, 'unavailable', language, error.retryAfterSeconds);
    if (error instanceof RemoteFailure)
      return error.code === 'denied' || error.code === 'forbidden'
        ? failurePage(403, 'elsewhere', language)
        : failurePage(503, 'partnerAway', language, error.retryAfterSeconds);
    if (error instanceof WebappRefused && error.refusal === 'second-factor-needed')
      return failurePage(403, 'secondFactor', language);
    if (error instanceof TreeFailure && error.code === 'view-only')
      return failurePage(403, 'viewOnly', language);
    if (error instanceof TreeFailure && error.code === 'second-factor-needed')
      return failurePage(403, 'secondFactor', language);
    if (error instanceof TreeFailure && error.code === 'quota-exceeded')
      return failurePage(507, 'noRoom', language);
    if (error instanceof BlobStoreFull) {
      this.logger.error({ err: error, requestId: request.id }, 'request failed');
      return failurePage(507, 'noRoom', language);
    }
    if (error instanceof TreeFailure && (error.code === 'infected' || error.code === 'unscannable'))
      return failurePage(TREE_ANSWERS[error.code].status, 'infected', language);
    if (error instanceof TreeFailure && error.code === 'name-blacklisted')
      return failurePage(TREE_ANSWERS[error.code].status, 'refusedName', language);
    const status = statusOf(error);
    if (status < 500) return failurePage(status, status === 404 ? 'nothing' : 'refused', language);
    this.logger.error({ err: error, requestId: request.id }, 'request failed');
    return failurePage(500, 'failed', language);
  }
}

const needsSignIn = (error: unknown): boolean =>
  error instanceof AuthenticationFailed &&
  (NOT_SIGNED_IN.has(error.reason) || error.reason === 'second-factor-needed');

const isForLater = (error: unknown): error is TreeFailure =>
  error instanceof TreeFailure && (error.code === 'unavailable' || error.code === 'scanner-unavailable');

function statusOf(error: unknown): number {
  if (error instanceof DavFailure) return DAV_ANSWERS[error.code].status;
  if (error instanceof WebappRefused) return error.refusal === 'unknown' ? 404 : 403;
  return error instanceof LinkUnavailable || error instanceof TreeFailure ? 404 : httpStatusOf(error);
}
