import type { Socket } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../logging';
import { LOGGER } from '../tokens';
import { NoRoomForBody } from './request-bodies';
import { RequestsUnderWay } from './requests-under-way';
import { ClientGone, CutOff, Unavailable } from './unavailable';

/** Converts failures under its paths into replies of its protocol. */
export interface ErrorPresenter {
  handles(request: FastifyRequest): boolean;
  present(error: unknown, request: FastifyRequest, reply: FastifyReply): void;
}

/** Converts a failure of an adapter into a class that every edge knows; undefined for other failures. */
export type FailureReader = (error: unknown) => Error | undefined;

/** The presenters of all edges in this process; the first one that handles a request answers it. */
@Injectable()
export class ErrorPresenters {
  private readonly presenters: ErrorPresenter[] = [];
  private readonly readers: FailureReader[] = [];

  constructor(
    private readonly requests: RequestsUnderWay,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  add(presenter: ErrorPresenter): void {
    this.presenters.push(presenter);
  }

  /** Adds a reader for failures below an adapter, such as those of a database driver. */
  addReader(reader: FailureReader): void {
    this.readers.push(reader);
  }

  /** The failure in a form that edges understand; unexpected failures are logged. */
  read(thrown: unknown, request: FastifyRequest): unknown {
    const requestId = request.id;
    const error = this.nameOf(thrown, request);
    if (error instanceof ClientGone)
      this.logger.info({ err: error, requestId }, 'a client broke off its request');
    else if (error instanceof CutOff)
      this.logger.debug({ err: error, requestId }, 'a request that was cut failed');
    else if (error instanceof Unavailable && !(error instanceof NoRoomForBody))
      this.logger.warn({ err: error, requestId }, 'a request was put off');
    return error;
  }

  private nameOf(thrown: unknown, request: FastifyRequest): unknown {
    if (this.requests.areCut) return new CutOff(thrown);
    if (isGone(request)) return new ClientGone(thrown);
    for (const reader of this.readers) {
      const failure = reader(thrown);
      if (failure) return failure;
    }
    return thrown;
  }

  of(request: FastifyRequest): ErrorPresenter | undefined {
    return this.presenters.find((presenter) => presenter.handles(request));
  }
}

/** A failed pipeline takes the socket from a request whose client still waits for the answer. */
function isGone({ raw }: FastifyRequest): boolean {
  const socket = raw.socket as Socket | null;
  return socket?.destroyed === true;
}
