import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Turns failures under its paths into replies of its protocol. */
export interface ErrorPresenter {
  handles(request: FastifyRequest): boolean;
  present(error: unknown, request: FastifyRequest, reply: FastifyReply): void;
}

/** Names a failure by the class that every edge knows, where it is one of the adapter's own; undefined otherwise. */
export type FailureReader = (error: unknown) => Error | undefined;

/** The presenters of all edges in this process; the first that handles a request answers for it. */
@Injectable()
export class ErrorPresenters {
  private readonly presenters: ErrorPresenter[] = [];
  private readonly readers: FailureReader[] = [];

  add(presenter: ErrorPresenter): void {
    this.presenters.push(presenter);
  }

  /** What is thrown below an adapter, such as by a database driver, is read before it is presented. */
  addReader(reader: FailureReader): void {
    this.readers.push(reader);
  }

  read(error: unknown): Error | undefined {
    for (const reader of this.readers) {
      const failure = reader(error);
      if (failure) return failure;
    }
    return undefined;
  }

  of(request: FastifyRequest): ErrorPresenter | undefined {
    return this.presenters.find((presenter) => presenter.handles(request));
  }
}
