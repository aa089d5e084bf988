import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AuthenticationFailed, TrustedIssuer } from '#identity';
import { OCS } from '#ocs/protocol';
import {
  type ErrorPresenter,
  ErrorPresenters,
  httpStatusOf,
  LOGGER,
  type Logger,
  Unavailable,
} from '#platform';
import { OcsFailure, type FailureMapping } from './ocs-failure';
import { OcsReply } from './ocs-reply';
import { isOcsPath, styleOf } from './ocs-request';
import { WrongVerbs } from './wrong-verbs';

const UNKNOWN_ROUTE =
  'Invalid query, please check the syntax. API specifications are here: ' +
  'http://www.freedesktop.org/wiki/Specifications/open-collaboration-services. DEBUG OUTPUT:\n';

/** Answers every failure under `/ocs/` in the envelope. */
@Injectable()
export class OcsErrorPresenter implements ErrorPresenter {
  private readonly mappings: FailureMapping[] = [];

  constructor(
    presenters: ErrorPresenters,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly trusted: TrustedIssuer,
    private readonly wrongVerbs: WrongVerbs,
  ) {
    presenters.add(this);
  }

  /** Adds a domain's table of failures. */
  addMapping(mapping: FailureMapping): void {
    this.mappings.push(mapping);
  }

  handles(request: FastifyRequest): boolean {
    return isOcsPath(request.url);
  }

  present(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    if (error instanceof Unavailable) {
      void reply.header('retry-after', String(error.retryAfterSeconds));
      return new OcsReply(503, 'Service unavailable', [], 'legacy').write(reply);
    }
    if (error instanceof AuthenticationFailed) return this.presentAuthentication(error, request, reply);
    const failure = this.failureOf(error);
    if (failure) {
      if (failure.code === OCS.UNAUTHORISED) this.challenge(request, reply);
      return new OcsReply(failure.code, failure.clientMessage, []).write(reply);
    }
    const status = httpStatusOf(error);
    if (request.is404 && this.wrongVerbs.answered(request, reply)) return;
    if (status === 404) return new OcsReply(OCS.UNKNOWN_ROUTE, UNKNOWN_ROUTE, [], 'legacy').write(reply);
    if (status < 500) return new OcsReply(status, 'Bad request', []).write(reply);
    this.logger.error({ err: error, requestId: request.id, url: request.routeOptions.url }, 'request failed');
    return new OcsReply(OCS.SERVER_ERROR, 'Internal server error', []).write(reply);
  }

  private failureOf(error: unknown): OcsFailure | undefined {
    if (error instanceof OcsFailure) return error;
    for (const mapping of this.mappings) {
      const failure = mapping(error);
      if (failure) return failure;
    }
    return undefined;
  }

  private presentAuthentication(
    error: AuthenticationFailed,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    if (error.retryAfterSeconds !== undefined)
      void reply.header('retry-after', String(error.retryAfterSeconds));
    if (error.reason === 'throttled') return new OcsReply(429, 'Too many failed attempts', []).write(reply);
    if (error.reason === 'busy') return new OcsReply(503, 'Service unavailable', []).write(reply);
    if (error.reason === 'not-granted')
      return new OcsReply(403, 'The app password is not for this', []).write(reply);
    if (error.reason === 'second-factor-needed')
      return new OcsReply(403, 'Set up a second factor first', []).write(reply);
    if (error.reason === 'disabled') {
      void reply.header('www-authenticate', this.trusted.challenge(legacyChallenge(request)));
      return new OcsReply(OCS.UNAUTHORISED, 'User disabled', [], 'legacy').write(reply);
    }
    this.challenge(request, reply);
    return new OcsReply(OCS.UNAUTHORISED, 'Unauthorised', []).write(reply);
  }

  private challenge(request: FastifyRequest, reply: FastifyReply): void {
    const challenge = challengeFor(request);
    if (challenge !== undefined) void reply.header('www-authenticate', this.trusted.challenge(challenge));
  }
}

/** Provisioning routes always ask for credentials; other routes ask only clients that want an app password. */
function challengeFor(request: FastifyRequest): string | undefined {
  if (styleOf(request) === 'legacy') return legacyChallenge(request);
  const wantsAppPassword = request.headers['oc-requestapppassword'] === 'true';
  return wantsAppPassword ? 'Basic realm="Drawbridge App Authentication Requested"' : undefined;
}

/** A browser must not open its own dialogue because of a script's request. */
function legacyChallenge(request: FastifyRequest): string {
  const scheme = request.headers['x-requested-with'] === 'XMLHttpRequest' ? 'DummyBasic' : 'Basic';
  return `${scheme} realm="Authorisation Required"`;
}
