import 'reflect-metadata';
import { Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Config } from '../config/table';
import { Readiness } from '../health/readiness';
import type { Logger } from '../logging';
import { Metrics } from '../metrics/metrics';
import { PlatformModule } from '../platform.module';
import { PublicAddress } from '../public-address';
import { EdgeAdapter } from './edge-adapter';
import { EdgeExceptionFilter } from './edge-exception.filter';
import { createFastify } from './fastify-instance';
import { measureRequests } from './request-metrics';
import { NestLog } from './nest-log';

const CLOSE_IDLE_EVERY_MS = 50;

export interface ServeOptions {
  /** Name of the app in logs. */
  readonly name: string;
  readonly module: Type<unknown>;
  readonly config: Config;
  readonly logger: Logger;
}

export interface RunningApp {
  /** Where it listens, such as http://127.0.0.1:8080. */
  readonly url: string;
  readonly port: number;
  readonly nest: NestFastifyApplication;
  /** Not ready at once; requests under way finish within SHUTDOWN_GRACE; then providers are closed. */
  close(): Promise<void>;
}

/** Builds the app and listens. @throws when a provider cannot start or the port is taken (`code` EADDRINUSE) */
export async function serve(options: ServeOptions): Promise<RunningApp> {
  const { config, logger } = options;
  const instance = createFastify(config, (error, request, reply) =>
    nest.get(EdgeExceptionFilter).answer(error, request, reply),
  );

  @Module({ imports: [PlatformModule.with(config, logger), options.module] })
  class Root {}

  const nest = await NestFactory.create<NestFastifyApplication>(Root, new EdgeAdapter(instance), {
    bodyParser: false,
    abortOnError: false,
    logger: new NestLog(logger),
  });
  nest.useGlobalFilters(nest.get(EdgeExceptionFilter));
  if (config.METRICS_PORT !== undefined) measureRequests(instance, nest.get(Metrics));
  try {
    await nest.init();
    // Not through Nest, which would write a line of its own about a taken port.
    await instance.listen({ port: config.PORT, host: config.HOST });
  } catch (error) {
    await nest.close();
    throw error;
  }
  const address = instance.server.address();
  const port = typeof address === 'object' && address ? address.port : config.PORT;
  const host = config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST;
  nest.get(PublicAddress).listensOn(port);
  logger.info({ app: options.name, host: config.HOST, port }, 'listening');
  return { url: `http://${host}:${port}`, port, nest, close: () => close(nest, config, logger) };
}

async function close(nest: NestFastifyApplication, config: Config, logger: Logger): Promise<void> {
  nest.get(Readiness).drain();
  const server = nest.getHttpServer();
  const deadline = setTimeout(() => {
    logger.warn('requests still under way after SHUTDOWN_GRACE are cut');
    server.closeAllConnections();
  }, config.SHUTDOWN_GRACE);
  // A kept-alive connection whose last request ends now would otherwise stay open until its client lets go.
  const idle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS);
  try {
    await nest.close();
  } finally {
    clearTimeout(deadline);
    clearInterval(idle);
  }
}
