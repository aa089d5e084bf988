import type { FastifyRequest } from 'fastify';

/** Stores a guard's result with a request, for the controllers behind that guard. */
export class RequestNote<T extends object> {
  private readonly values = new WeakMap<FastifyRequest, T>();

  /** @param guard its name, for the error if it did not run */
  constructor(private readonly guard: string) {}

  set(request: FastifyRequest, value: T): void {
    this.values.set(request, value);
  }

  /** @throws Error on a route without the guard */
  of(request: FastifyRequest): T {
    const value = this.find(request);
    if (!value) throw new Error(`the route ${request.method} ${request.url} lacks ${this.guard}`);
    return value;
  }

  find(request: FastifyRequest): T | undefined {
    return this.values.get(request);
  }
}
