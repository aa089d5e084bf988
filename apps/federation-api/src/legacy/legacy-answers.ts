import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import {
  FederationRefused,
  legacyRefusal,
  mistakesEnvelopeForSuccess,
  type FederationRefusal,
  type LegacyAction,
} from '#federation/protocol';
import { BudgetSpent } from '#identity';
import { ok, OcsFailure, OcsReply } from '#ocs/http';
import { ErrorPresenters, LOGGER, Unavailable, type EdgeReply, type Logger } from '#platform';
import { RETRY_AFTER_SECONDS } from '../admission';
import { JsonReply } from '../json-reply';

/**
 * Answers calls of the legacy dialect in the OCS envelope. Callers that take any envelope for success get refusals as
 * plain JSON with the same code as HTTP status; otherwise they would show a share that nobody received.
 */
@Injectable()
export class LegacyAnswers {
  constructor(
    private readonly presenters: ErrorPresenters,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * @param action undefined for the offer of a share
   * @param work returns the data of the answer; undefined for none
   */
  async answer(
    request: FastifyRequest,
    action: LegacyAction | undefined,
    work: () => Promise<Record<string, string> | undefined>,
  ): Promise<EdgeReply> {
    try {
      return ok(await work());
    } catch (error) {
      const isMistaken = mistakesEnvelopeForSuccess(request.headers['user-agent']);
      if (error instanceof FederationRefused) return refused(error, action, isMistaken);
      if (error instanceof BudgetSpent) return tooMany(error, isMistaken);
      if (!isMistaken) throw error;
      return this.failed(this.presenters.read(error, request), request);
    }
  }

  private failed(error: unknown, request: FastifyRequest): JsonReply {
    if (error instanceof OcsFailure && error.code === 400)
      return new JsonReply(400, { message: error.clientMessage ?? 'Bad request' });
    if (error instanceof Unavailable) {
      const headers = { 'retry-after': String(error.retryAfterSeconds) };
      return new JsonReply(503, { message: 'Not available at the moment' }, headers);
    }
    this.logger.error({ err: error, requestId: request.id, url: request.routeOptions.url }, 'request failed');
    return new JsonReply(500, { message: 'Internal server error' });
  }
}

/** Refusals that may pass within a moment. */
const TRANSIENT: readonly FederationRefusal[] = ['temporarily-unavailable', 'key-unavailable'];

function refused(error: FederationRefused, action: LegacyAction | undefined, isMistaken: boolean): EdgeReply {
  const { statuscode, message } = legacyRefusal(error, action);
  const isTransient = TRANSIENT.includes(error.refusal);
  const headers = isTransient ? { 'retry-after': String(RETRY_AFTER_SECONDS) } : undefined;
  if (isMistaken) return new JsonReply(statuscode, { message }, headers);
  // Maintenance has the same answer as on every other OCS path.
  const reply = isTransient
    ? new OcsReply(statuscode, 'Service unavailable', [], 'legacy')
    : new OcsReply(statuscode, message, []);
  return headers ? reply.withHeaders(headers) : reply;
}

function tooMany({ retryAfterSeconds }: BudgetSpent, isMistaken: boolean): EdgeReply {
  const headers = { 'retry-after': String(retryAfterSeconds) };
  const message = 'Too many requests';
  return isMistaken
    ? new JsonReply(429, { message }, headers)
    : new OcsReply(429, message, [], 'legacy').withHeaders(headers);
}
