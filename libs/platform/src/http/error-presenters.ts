import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Turns failures under its paths into replies of its protocol. */
export interface ErrorPresenter {
  handles(request: FastifyRequest): boolean;
  present(error: unknown, request: FastifyRequest, reply: FastifyReply): void;
}

/** The presenters of all edges in this process; the first that handles a request answers for it. */
@Injectable()
export class ErrorPresenters {
  private readonly presenters: ErrorPresenter[] = [];

  add(presenter: ErrorPresenter): void {
    this.presenters.push(presenter);
  }

  of(request: FastifyRequest): ErrorPresenter | undefined {
    return this.presenters.find((presenter) => presenter.handles(request));
  }
}
