import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AuthenticationFailed } from '#identity';
import {
  httpStatusOf,
  LOGGER,
  PRODUCT_NAME,
  PublicAddress,
  Unavailable,
  type ErrorPresenter,
  type Logger,
} from '#platform';
import { ReceivedShareRefused } from '#sharing';
import { backToForm, ownFormOf } from '../saved-links/back-to-form';
import { SavedLinkReply } from '../saved-links/saved-link-reply';

/** Excludes previews of links and the question about a share below the same path, which the files app serves. */
const PATHS =
  /^\/(?:index\.php\/)?apps\/(?:files_sharing(?!\/(?:(?:ajax\/)?publicpreview|shareinfo))|federatedfilesharing\/askForFederatedShare|ocm\/invitation\/accept)(?:[/?]|$)/;

/** Answers failures of web clients' calls outside of OCS: `{"message": ...}`. A browser without a session goes back to its form. */
@Injectable()
export class ClientCallErrors implements ErrorPresenter {
  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly publicAddress: PublicAddress,
  ) {}

  handles(request: FastifyRequest): boolean {
    return PATHS.test(request.url);
  }

  present(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const wait = retryAfterOf(error);
    const headers: Record<string, string> = wait === undefined ? {} : { 'retry-after': String(wait) };
    const answer = (status: number, message: string): void =>
      new SavedLinkReply(status, { message }, headers).write(reply);
    const form = ownFormOf(request);
    if (form && isForSignIn(error))
      return backToForm(this.publicAddress.path, form, request, { isFilled: true }).write(reply);
    if (error instanceof AuthenticationFailed) {
      if (error.reason === 'throttled') return answer(429, 'Too many failed attempts');
      if (error.reason === 'busy') return answer(503, 'Service unavailable');
      if (error.reason === 'not-granted') return answer(403, 'The app password is not for this');
      if (error.reason === 'second-factor-needed') return answer(403, 'Set up a second factor first');
      headers['www-authenticate'] = `Basic realm="${PRODUCT_NAME}", charset="UTF-8"`;
      return answer(401, 'Unauthorised');
    }
    if (error instanceof Unavailable) return answer(503, 'Service unavailable');
    const status = error instanceof ReceivedShareRefused ? 404 : httpStatusOf(error);
    if (status < 500) return answer(status, status === 404 ? 'Not found' : 'Bad request');
    this.logger.error({ err: error, requestId: request.id, url: request.routeOptions.url }, 'request failed');
    answer(500, 'Internal server error');
  }
}

const isForSignIn = (error: unknown): boolean =>
  error instanceof AuthenticationFailed &&
  (error.reason === 'missing' || error.reason === 'second-factor-needed');

function retryAfterOf(error: unknown): number | undefined {
  const isTimed = error instanceof AuthenticationFailed || error instanceof Unavailable;
  return isTimed ? error.retryAfterSeconds : undefined;
}
