import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BudgetSpent, ProvisioningFailed, SCIM_ERROR_SCHEMA, ScimFailed } from '#identity';
import { httpStatusOf, LOGGER, Unavailable, type ErrorPresenter, type Logger } from '#platform';
import { ScimReply } from './scim-reply';

interface Failure {
  readonly status: number;
  readonly detail: string;
  readonly scimType?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers failures below /scim in the form of RFC 7644, section 3.12. */
@Injectable()
export class ScimErrorPresenter implements ErrorPresenter {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  handles({ url }: FastifyRequest): boolean {
    return /^\/scim(?:[/?]|$)/.test(url);
  }

  present(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const { status, detail, scimType, headers } = describe(error);
    if (status === 500) this.logger.error({ err: error, requestId: request.id }, 'request failed');
    const body = { schemas: [SCIM_ERROR_SCHEMA], status: String(status), detail };
    new ScimReply(status, scimType === undefined ? body : { ...body, scimType }, headers).write(reply);
  }
}

function describe(error: unknown): Failure {
  if (error instanceof ScimFailed) {
    const { status, message: detail, type: scimType } = error;
    return {
      status,
      detail,
      scimType,
      ...(status === 401 ? { headers: { 'www-authenticate': 'Bearer' } } : {}),
    };
  }
  if (error instanceof ProvisioningFailed) return { status: 409, detail: error.message };
  if (error instanceof BudgetSpent) return later(429, 'There were too many calls', error.retryAfterSeconds);
  if (error instanceof Unavailable)
    return later(503, 'This cannot be done at the moment', error.retryAfterSeconds);
  const status = httpStatusOf(error);
  if (status === 404) return { status, detail: 'There is nothing at this address' };
  if (status < 500) return { status, detail: 'This request cannot be answered' };
  return { status: 500, detail: 'This went wrong here' };
}

const later = (status: number, detail: string, seconds: number): Failure => ({
  ...{ status, detail },
  headers: { 'retry-after': String(Math.ceil(seconds)) },
});
