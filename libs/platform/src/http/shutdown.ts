import { setTimeout as pause } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config/table';
import { Readiness } from '../health/readiness';
import type { Logger } from '../logging';
import type { Tracing } from '../tracing/tracing';
import { RequestsUnderWay } from './requests-under-way';

const CLOSE_IDLE_EVERY_MS = 50;
/** Time for closing queue and database. Connections that are still open then end with the process. */
const CLOSING_LIMIT_MS = 5_000;
/** Part of that time for cleaning up in cut handlers. */
const UNWINDING_MS = 1_000;
/** Maximum of requests that the log line about cut requests names. */
const MOST_NAMED = 20;

type Times = Pick<Config, 'SHUTDOWN_DELAY' | 'SHUTDOWN_GRACE'>;

/**
 * The end of an app: it is not ready at once, but serves for SHUTDOWN_DELAY, until every proxy has noticed. Then it accepts no
 * more connections, finishes running requests within SHUTDOWN_GRACE, including those of clients that are gone, and closes
 * workers, queue and database in this order.
 */
export class Shutdown {
  private readonly hurrying = new AbortController();

  constructor(
    private readonly nest: NestFastifyApplication,
    private readonly times: Times,
    private readonly logger: Logger,
    private readonly tracing: Tracing,
  ) {}

  /** Resolves within SHUTDOWN_DELAY, SHUTDOWN_GRACE and five seconds, even if something cannot be closed. */
  async run(): Promise<void> {
    this.nest.get(Readiness).drain();
    const { signal } = this.hurrying;
    await pause(this.times.SHUTDOWN_DELAY, undefined, { signal }).catch(() => undefined);
    // Nest would stop the workers first, and accept requests in the meantime.
    this.nest.getHttpServer().close();
    const finishing = this.cutWhenOver();
    try {
      await this.withinLimit(this.close());
    } finally {
      finishing.stop();
    }
  }

  private async close(): Promise<void> {
    try {
      await this.nest.close();
    } finally {
      await this.tracing.close();
    }
  }

  /** Ends all waiting: cuts running requests. */
  hurry(): void {
    this.hurrying.abort();
    this.cut('requests under way are cut: somebody insists');
  }

  private cutWhenOver(): { stop(): void } {
    const server = this.nest.getHttpServer();
    const deadline = setTimeout(
      () => this.cut('requests still under way after SHUTDOWN_GRACE are cut'),
      this.times.SHUTDOWN_GRACE,
    );
    // Otherwise a kept-alive connection whose last request ends now would stay open until its client closes it.
    const idle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
    return {
      stop: () => {
        clearTimeout(deadline);
        clearInterval(idle);
      },
    };
  }

  private cut(line: string): void {
    const cut = this.nest.get(RequestsUnderWay).cutAll(UNWINDING_MS);
    if (cut.length > 0) this.logger.warn({ count: cut.length, requests: cut.slice(0, MOST_NAMED) }, line);
    this.nest.getHttpServer().closeAllConnections();
  }

  private async withinLimit(closed: Promise<void>): Promise<void> {
    let limit: NodeJS.Timeout | undefined;
    const overdue = new Promise<void>((resolve) => {
      limit = setTimeout(() => {
        this.logger.warn('the process stops although something is still in use');
        resolve();
      }, this.times.SHUTDOWN_GRACE + CLOSING_LIMIT_MS);
    });
    try {
      await Promise.race([closed, overdue]);
    } finally {
      clearTimeout(limit);
    }
  }
}

/**
 * While the app drains, each answer announces the end of its connection, so that clients find another replica for
 * the next request.
 */
export function endConnectionsWhileDraining(instance: FastifyInstance, readiness: Readiness): void {
  instance.addHook('onSend', (_request, reply, _payload, done) => {
    if (readiness.isDraining) reply.header('connection', 'close');
    done();
  });
}
