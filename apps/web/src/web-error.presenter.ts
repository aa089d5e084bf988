import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  AppPasswordRefused,
  AuthenticationFailed,
  BudgetSpent,
  SecondFactorRefused,
  type AppPasswordRefusal,
  type SecondFactorRefusal,
} from '#identity';
import { languageOf, markup, PageReply } from '#pages';
import {
  appServing,
  httpStatusOf,
  isReadingMethod,
  LOGGER,
  pathOfTarget,
  PublicAddress,
  Unavailable,
  type ErrorPresenter,
  type Logger,
} from '#platform';
import { webFailureTexts, type WebFailureCode } from './web-failure-texts';

const PAGES = /^\/(?:(?:index\.php\/)?login(?:\/v2\/flow\/[^?]*|\/oidc(?:\/callback)?)?|logout)?(?:\?|$)/;
const CALLS =
  /^\/(?:web(?:[/?]|$)|(?:index\.php\/)?(?:login\/v2|login\/oidc\/logout|token\/generate|settings\/personal\/authtokens)(?:[/?]|$))/;

/** Whether a person opened an address that no app serves. */
const isStray = ({ method, url, headers }: FastifyRequest): boolean =>
  isReadingMethod(method) &&
  (headers.accept ?? '').includes('text/html') &&
  appServing(pathOfTarget(url)) === undefined;
const isPage = (request: FastifyRequest): boolean => PAGES.test(request.url) || isStray(request);

/** Answers failures of the pages: as a page for people, also at unknown addresses, and as JSON for the pages' own calls. */
@Injectable()
export class WebErrorPresenter implements ErrorPresenter {
  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly address: PublicAddress,
  ) {}

  handles(request: FastifyRequest): boolean {
    return isPage(request) || CALLS.test(request.url);
  }

  present(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const failure = failureOf(error);
    const { status, code, retryAfterSeconds } = failure;
    if (status === 500) this.logger.error({ err: error, requestId: request.id }, 'request failed');
    if (isPage(request)) return pageOf(knownFailureOf(error), request, `${this.address.path}/`).write(reply);
    const message = 'text' in failure ? failure.text : webFailureTexts('en')[failure.code];
    if (retryAfterSeconds !== undefined) reply.header('retry-after', Math.ceil(retryAfterSeconds));
    void reply.code(status).header('cache-control', 'no-store').send({ error: { code, message } });
  }
}

interface Failure {
  readonly status: number;
  readonly retryAfterSeconds?: number | undefined;
}
interface KnownFailure extends Failure {
  readonly code: WebFailureCode;
}
/** A refusal of a call that only scripts make. */
interface RefusedCall extends Failure {
  readonly code: AppPasswordRefusal | SecondFactorRefusal;
  readonly text: string;
}

function failureOf(error: unknown): KnownFailure | RefusedCall {
  if (error instanceof AppPasswordRefused)
    return { status: APP_PASSWORD_STATUS[error.reason], code: error.reason, text: error.message };
  if (error instanceof SecondFactorRefused)
    return { status: SECOND_FACTOR_STATUS[error.reason], code: error.reason, text: error.message };
  return knownFailureOf(error);
}

function knownFailureOf(error: unknown): KnownFailure {
  if (error instanceof AuthenticationFailed) return signInFailure(error);
  if (error instanceof BudgetSpent)
    return { status: 429, code: 'throttled', retryAfterSeconds: error.retryAfterSeconds };
  if (error instanceof Unavailable)
    return { status: 503, code: 'unavailable', retryAfterSeconds: error.retryAfterSeconds };
  const status = httpStatusOf(error);
  if (status === 404) return { status, code: 'not-found' };
  if (status < 500) return { status, code: 'refused' };
  return { status: 500, code: 'failed' };
}

function signInFailure({ reason, retryAfterSeconds }: AuthenticationFailed): KnownFailure {
  if (reason === 'throttled') return { status: 429, code: reason, retryAfterSeconds };
  if (reason === 'busy') return { status: 503, code: reason, retryAfterSeconds };
  if (reason === 'not-granted' || reason === 'second-factor-needed') return { status: 403, code: reason };
  return { status: 401, code: 'signed-out' };
}

/** @param start address of the start page */
function pageOf(
  { status, code, retryAfterSeconds }: KnownFailure,
  request: FastifyRequest,
  start: string,
): PageReply {
  const language = languageOf(request.headers);
  const texts = webFailureTexts(language);
  const title = code === 'not-found' ? texts.nothingTitle : texts.title;
  const content = markup`<p>${texts[code]}</p><p><a href="${start}">${texts.back}</a></p>`;
  return new PageReply(status, title, content, { language, retryAfterSeconds });
}

const SECOND_FACTOR_STATUS: Readonly<Record<SecondFactorRefusal, number>> = {
  exists: 409,
  absent: 404,
  'setup-over': 400,
  'code-wrong': 403,
  'answer-wrong': 400,
  'too-many': 403,
  'not-here': 404,
};

const APP_PASSWORD_STATUS: Readonly<Record<AppPasswordRefusal, number>> = {
  'name-refused': 400,
  'scopes-refused': 400,
  'expiry-refused': 400,
  'too-many': 403,
  unknown: 404,
};
