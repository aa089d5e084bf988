import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AuthenticationFailed, TrustedIssuer, type AuthenticationFailure } from '#identity';
import { RedirectReply } from '#pages';
import {
  httpStatusOf,
  LOGGER,
  PRODUCT_NAME,
  PublicAddress,
  type ErrorPresenter,
  type Logger,
} from '#platform';
import { Locked, RangeNotSatisfiable, writeDavError } from '#storage';
import {
  answerOfStatus,
  RETRY_AFTER_FAILURE_SECONDS,
  UNAVAILABLE,
  type DavAnswer,
} from './dav-failure-table';
import { ALLOWED_METHODS, isDavPath, isPartnersPath } from './dav-routes';
import { FailureAnswers } from './failure-answers';
import { LockedAnswers } from './locked-answers';

/** Answers failures of the WebDAV interface with bodies that its clients can read. */
@Injectable()
export class DavErrorPresenter implements ErrorPresenter {
  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly failures: FailureAnswers,
    private readonly locked: LockedAnswers,
    private readonly publicAddress: PublicAddress,
    private readonly trusted: TrustedIssuer,
  ) {}

  handles(request: FastifyRequest): boolean {
    return isDavPath(request.url);
  }

  present(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    if (error instanceof AuthenticationFailed) return this.presentUnauthenticated(error, request, reply);
    if (error instanceof Locked) return this.locked.send(error, request, reply);
    const foreseen = this.failures.find(error);
    if (foreseen && !foreseen.isOfServer) {
      const { answer, message, retryAfterSeconds } = foreseen;
      if (retryAfterSeconds !== undefined) reply.header('retry-after', Math.ceil(retryAfterSeconds));
      if (error instanceof RangeNotSatisfiable) reply.header('content-range', `bytes */${error.size}`);
      if (answer.status === 405) reply.header('allow', ALLOWED_METHODS);
      return send(reply, answer, message);
    }
    const answer = foreseen?.answer ?? answerOfStatus(httpStatusOf(error));
    if (answer.status >= 500) this.logger.error({ err: error, requestId: request.id }, 'request failed');
    if (answer.status >= 500 && isPartnersPath(request.url)) {
      reply.header('retry-after', RETRY_AFTER_FAILURE_SECONDS);
      return send(reply, UNAVAILABLE, 'The request could not be answered at the moment');
    }
    const isUnknown = answer.status === 404;
    const text = isUnknown ? 'There is no such WebDAV endpoint' : 'The request could not be answered';
    send(reply, answer, foreseen?.message ?? text);
  }

  private presentUnauthenticated(
    error: AuthenticationFailed,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    const page = NOT_SIGNED_IN.has(error.reason) ? pageOfSignedAddress(request) : undefined;
    if (page !== undefined) return new RedirectReply(this.publicAddress.path + page).write(reply);
    const isCrowded = error.reason === 'throttled' && isPartnersPath(request.url);
    const [answer, message] = UNAUTHENTICATED[isCrowded ? 'busy' : error.reason];
    if (error.retryAfterSeconds !== undefined)
      reply.header('retry-after', Math.ceil(error.retryAfterSeconds));
    if (answer.status === 401)
      reply.header('www-authenticate', this.trusted.challenge(challengeFor(request)));
    // Scripts of deployed web pages look for this text to ask for a link's password again.
    const ofLinkByScript = isByScript(request) && request.url.startsWith('/public.php');
    const isAsked = ofLinkByScript && NOT_SIGNED_IN.has(error.reason);
    send(reply, answer, isAsked ? 'Cannot authenticate over ajax calls' : message);
  }
}

const NOT_SIGNED_IN: ReadonlySet<AuthenticationFailure> = new Set(['missing', 'wrong']);
/** The token of the link, and the folder of the file, still percent-encoded. */
const SIGNED_ADDRESS =
  /^\/(?:remote\.php\/)?dav\/public-files\/(\w+)((?:\/[^/?]+)*)\/[^/?]*\?(?:.*&)?signature=/;

/** The page of a file's folder, for a browser that uses an expired address of that page: the page asks for the password again. */
function pageOfSignedAddress({ method, url, headers }: FastifyRequest): string | undefined {
  const isBrowser = method === 'GET' && /\btext\/html\b/.test(headers.accept ?? '');
  const signed = isBrowser ? SIGNED_ADDRESS.exec(url) : null;
  if (!signed) return undefined;
  const [, token, folder] = signed;
  // Our pages encode each name whole, so a query can contain the folder in the same form.
  return folder === '' ? `/s/${token}` : `/s/${token}?path=${folder}`;
}

const NOT_AUTHENTICATED: DavAnswer = { status: 401, exception: 'Sabre\\DAV\\Exception\\NotAuthenticated' };

const UNAUTHENTICATED: Readonly<Record<AuthenticationFailure, readonly [DavAnswer, string]>> = {
  missing: [NOT_AUTHENTICATED, "No 'Authorization: Basic' header found."],
  wrong: [NOT_AUTHENTICATED, 'Username or password was incorrect'],
  disabled: [NOT_AUTHENTICATED, 'User disabled'],
  throttled: [{ status: 429, exception: 'TooManyRequests' }, 'Too many failed attempts'],
  busy: [UNAVAILABLE, 'Service unavailable'],
  'not-granted': [
    { status: 403, exception: 'Sabre\\DAV\\Exception\\Forbidden' },
    'The app password is not for this',
  ],
  'second-factor-needed': [
    { status: 403, exception: 'Sabre\\DAV\\Exception\\Forbidden' },
    'Set up a second factor first',
  ],
};

/** Browsers open their own dialogue for `Basic`, and scripts on a page cannot prevent that otherwise. */
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
