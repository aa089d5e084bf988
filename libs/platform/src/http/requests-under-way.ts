import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** A request as lines of the log name it: its path may hold a token. */
export interface NamedRequest {
  readonly requestId: string;
  readonly method: string;
  readonly route: string;
}

/**
 * The requests of this process, each until its answer is out or its client gone, and its handler has ended as well: a
 * handler goes on when nobody waits for it any more, and needs what is closed at the end of the process.
 */
@Injectable()
export class RequestsUnderWay {
  /** Of each: its answer, and its handler while that runs. */
  private readonly parts = new Map<FastifyRequest, number>();
  private readonly over = Promise.withResolvers<void>();
  private areLast = false;
  private cut = false;

  /** Whether they are cut: their failures after that are no failures of the product. */
  get areCut(): boolean {
    return this.cut;
  }

  /** Knows of each request to the routes that are added from now on, and lets the server be closed after the last. */
  follow(instance: FastifyInstance): void {
    instance.addHook('onRequest', (request, reply, done) => {
      this.begin(request);
      reply.raw.once('close', () => this.end(request));
      done();
    });
    instance.addHook('onRoute', (route) => {
      const { handler } = route;
      route.handler = (request, reply) => {
        const work: unknown = handler.call(instance, request, reply);
        this.begin(request);
        const end = (): void => this.end(request);
        Promise.resolve(work).then(end, end);
        return work;
      };
    });
    // Connections have ended by now, and with them what can add requests.
    instance.addHook('onClose', () => this.ended());
  }

  /**
   * Gives them up: they are waited for no longer than `unwindingMs`, in which they may clean up.
   * @returns them; none when they were cut before
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

  private end(request: FastifyRequest): void {
    const left = this.parts.get(request)! - 1;
    if (left > 0) this.parts.set(request, left);
    else this.parts.delete(request);
    if (this.areLast && this.parts.size === 0) this.over.resolve();
  }
}
