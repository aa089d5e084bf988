import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { Config } from '../config/table';
import type { Logger } from '../logging';
import { CONFIG, LOGGER } from '../tokens';
import { PRODUCT_VERSION } from '../version';
import { Metrics } from './metrics';

/** Serves `/metrics` on METRICS_PORT, separate from the port of clients and partners. Does nothing if it is not set. */
@Injectable()
export class MetricsServer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private server: Server | undefined;

  constructor(
    private readonly metrics: Metrics,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @throws when the port is taken (`code` EADDRINUSE) */
  async onApplicationBootstrap(): Promise<void> {
    const { METRICS_PORT: port, HOST: host } = this.config;
    if (port === undefined) return;
    this.metrics.measureProcess();
    exposeVersion(this.metrics);
    const server = createServer((request, response) => {
      if (request.url !== '/metrics' || request.method !== 'GET') {
        response.writeHead(404).end();
        return;
      }
      this.metrics.render().then(
        (text) => response.writeHead(200, { 'content-type': this.metrics.registry.contentType }).end(text),
        (error: unknown) => {
          this.logger.error({ err: error }, 'metrics could not be read');
          response.writeHead(503).end();
        },
      );
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, host, resolve);
    });
    this.server = server;
    this.logger.info({ host, port: (server.address() as AddressInfo).port }, 'metrics are served');
  }

  async beforeApplicationShutdown(): Promise<void> {
    const { server } = this;
    if (!server) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** A series that exists as long as the process: with it, alerts notice an absent process and an incomplete upgrade. */
function exposeVersion(metrics: Metrics): void {
  metrics.gauge('build_info', 'The version of this process; always 1', ['version'], () => [
    { labels: { version: PRODUCT_VERSION }, value: 1 },
  ]);
}
