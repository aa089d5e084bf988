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
import { markup, PageReply } from '#pages';
import { httpStatusOf, LOGGER, Unavailable, type ErrorPresenter, type Logger } from '#platform';

const PAGES = /^\/(?:(?:index\.php\/)?login(?:\/v2\/flow\/[^?]*|\/oidc(?:\/callback)?)?|logout)?(?:\?|$)/;
const CALLS =
  /^\/(?:web(?:[/?]|$)|(?:index\.php\/)?(?:login\/v2|login\/oidc\/logout|token\/generate|settings\/personal\/authtokens)(?:[/?]|$))/;

/** Answers failures of the pages: as a page for people, and as JSON for the pages' own calls. */
@Injectable()
export class WebErrorPresenter implements ErrorPresenter {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  handles({ url }: FastifyRequest): boolean {
    return PAGES.test(url) || CALLS.test(url);
  }

  present(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const { status, code, text, retryAfterSeconds } = describe(error);
    if (status === 500) this.logger.error({ err: error, requestId: request.id }, 'request failed');
    if (PAGES.test(request.url))
      return new PageReply(status, 'Not now', markup`<p>${text}</p>`, { retryAfterSeconds }).write(reply);
    if (retryAfterSeconds !== undefined) reply.header('retry-after', Math.ceil(retryAfterSeconds));
    void reply
      .code(status)
      .header('cache-control', 'no-store')
      .send({ error: { code, message: text } });
  }
}

interface WebFailure {
  readonly status: number;
  /** Code for scripts. */
  readonly code: string;
  /** Text for people. */
  readonly text: string;
  readonly retryAfterSeconds?: number;
}

function describe(error: unknown): WebFailure {
  if (error instanceof AuthenticationFailed) return signInFailure(error);
  if (error instanceof BudgetSpent)
    return {
      status: 429,
      code: 'throttled',
      text: 'There were too many attempts. Try again later.',
      retryAfterSeconds: error.retryAfterSeconds,
    };
  if (error instanceof AppPasswordRefused) return appPasswordFailure(error);
  if (error instanceof SecondFactorRefused)
    return { status: SECOND_FACTOR_STATUS[error.reason], code: error.reason, text: error.message };
  if (error instanceof Unavailable)
    return {
      status: 503,
      code: 'unavailable',
      text: 'This cannot be shown at the moment. Try again later.',
      retryAfterSeconds: error.retryAfterSeconds,
    };
  const status = httpStatusOf(error);
  if (status === 404) return { status, code: 'not-found', text: 'There is nothing at this address.' };
  if (status < 500) return { status, code: 'refused', text: 'This request cannot be answered.' };
  return { status: 500, code: 'failed', text: 'This went wrong here. Try again later.' };
}

function signInFailure({ reason, retryAfterSeconds }: AuthenticationFailed): WebFailure {
  if (reason === 'throttled')
    return {
      status: 429,
      code: reason,
      text: 'There were too many attempts. Try again later.',
      retryAfterSeconds,
    };
  if (reason === 'busy')
    return {
      status: 503,
      code: reason,
      text: 'The server is busy. Try again in a minute.',
      retryAfterSeconds,
    };
  if (reason === 'not-granted')
    return { status: 403, code: reason, text: 'Sign in with your password to do this.' };
  if (reason === 'second-factor-needed')
    return { status: 403, code: reason, text: 'Set up a second factor first.' };
  return { status: 401, code: 'signed-out', text: 'Sign in to go on.' };
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

const appPasswordFailure = ({ reason, message }: AppPasswordRefused): WebFailure => ({
  status: APP_PASSWORD_STATUS[reason],
  code: reason,
  text: message,
});
