import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { onRequestEnd } from './request-ends';
import { letAnswer } from './self-answering';

/** A request in the form for log lines, without its path, which may contain a token. */
export interface NamedRequest {
  readonly requestId: string;
  readonly method: string;
  readonly route: string;
}

/**
 * The running requests of this process. Each runs until its answer is sent or its client is gone, and its handler has ended: a
 * handler continues without its client, and needs resources that are closed at the end of the process.
 */
@Injectable()
export class RequestsUnderWay {
  /** The running parts of each request: its answer, and its handler. */
  private readonly parts = new Map<FastifyRequest, number>();
  private readonly over = Promise.withResolvers<void>();
  private areLast = false;
  private cut = false;

  /** Whether the requests were cut: later failures of them are not failures of the product. */
  get areCut(): boolean {
    return this.cut;
  }

  /** Follows the requests to all routes that are added from now on, and delays the closing of the server until the last one. */
  follow(instance: FastifyInstance): void {
    instance.addHook('onRequest', (request, _reply, done) => {
      this.begin(request);
      done();
    });
    onRequestEnd(instance, (request) => this.end(request));
    instance.addHook('onRoute', (route) => {
      const { handler } = route;
      route.handler = (request, reply) => {
        const handle = (): unknown => {
          const work: unknown = handler.call(instance, request, reply);
          this.begin(request);
          return work;
        };
        letAnswer(reply, handle, () => this.end(request));
      };
    });
    // All connections have ended by now, so no new requests can come.
    instance.addHook('onClose', () => this.ended());
  }

  /**
   * Gives up all requests: they get at most `unwindingMs` for cleaning up.
   * @returns them; none if they were cut before
   */
  cutAll(unwindingMs: number): readonly NamedRequest[] {
    if (this.cut) return [];
    this.cut = true;
    setTimeout(() => this.over.resolve(), unwindingMs).unref();
    return [...this.parts.keys()].map(({ id, method, routeOptions }) => ({
      requestId: id,
      method,
      route: routeOptions.url ?? 'none',
    }));
  }

  private async ended(): Promise<void> {
    this.areLast = true;
    if (this.parts.size > 0) await this.over.promise;
  }

  private begin(request: FastifyRequest): void {
    this.parts.set(request, (this.parts.get(request) ?? 0) + 1);
  }

  /** Does nothing for requests that were refused before they began. */
  private end(request: FastifyRequest): void {
    const left = (this.parts.get(request) ?? 0) - 1;
    if (left > 0) this.parts.set(request, left);
    else this.parts.delete(request);
    if (this.areLast && this.parts.size === 0) this.over.resolve();
  }
}
