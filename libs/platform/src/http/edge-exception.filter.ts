import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  Inject,
  Injectable,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../logging';
import { LOGGER } from '../tokens';
import { ErrorPresenters } from './error-presenters';
import { ClientGone, Unavailable } from './unavailable';

/** The one global filter: passes every failure to the presenter of its edge, and gives a plain answer elsewhere. */
@Catch()
@Injectable()
export class EdgeExceptionFilter implements ExceptionFilter {
  constructor(
    private readonly presenters: ErrorPresenters,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    if (!reply.sent) return this.answer(error, request, reply);
    const failure = this.presenters.read(error, request);
    if (!(failure instanceof Unavailable || failure instanceof ClientGone))
      this.logger.error({ err: failure, requestId: request.id }, 'failed after the reply was sent');
  }

  /** Answers a failure in the form of the request's edge. */
  answer(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const error = this.presenters.read(thrown, request);
    const presenter = this.presenters.of(request);
    if (presenter) presenter.present(error, request, reply);
    else this.presentPlainly(error, request, reply);
  }

  private presentPlainly(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    if (error instanceof Unavailable) {
      void reply
        .code(503)
        .header('retry-after', error.retryAfterSeconds)
        .type('text/plain; charset=utf-8')
        .send('Not available at the moment\n');
      return;
    }
    const status = httpStatusOf(error);
    if (status >= 500) this.logger.error({ err: error, requestId: request.id }, 'request failed');
    const text = status === 404 ? 'Not found' : status < 500 ? 'Bad request' : 'Internal server error';
    void reply.code(status).type('text/plain; charset=utf-8').send(`${text}\n`);
  }
}

/** The HTTP status of a framework's error (an unknown route, a body that is too large), otherwise 500. */
export function httpStatusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' && status >= 400 && status < 600 ? status : 500;
}
