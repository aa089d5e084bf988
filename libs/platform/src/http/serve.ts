import 'reflect-metadata';
import { Module, type Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Config } from '../config/table';
import { Readiness } from '../health/readiness';
import type { Logger } from '../logging';
import { Metrics } from '../metrics/metrics';
import { PlatformModule } from '../platform.module';
import { PublicAddress } from '../public-address';
import { releaseMemoryOfStart } from '../start-memory';
import { openTracing } from '../tracing/tracing';
import { EdgeExceptionFilter } from './edge-exception.filter';
import type { PresentRefusal } from './fastify-instance';
import { measureRequests } from './request-metrics';
import { RequestsUnderWay } from './requests-under-way';
import { NestLog } from './nest-log';
import { endConnectionsWhileDraining, Shutdown } from './shutdown';

export interface ServeOptions {
  /** Name of the app in logs. */
  readonly name: string;
  readonly module: Type<unknown>;
  readonly config: Config;
  readonly logger: Logger;
}

export interface RunningApp {
  /** Its address, such as http://127.0.0.1:8080. */
  readonly url: string;
  readonly port: number;
  readonly nest: NestFastifyApplication;
  /** Accepts no more requests, finishes running ones, and closes everything. */
  close(): Promise<void>;
  /** Cuts the requests for which `close` still waits. */
  hurry(): void;
}

/** Builds the app and listens. @throws if a provider cannot start or the port is taken (`code` EADDRINUSE) */
export async function serve(options: ServeOptions): Promise<RunningApp> {
  const { config, logger } = options;
  // Loaded only by processes that serve, so that commands start faster.
  const { NestFactory } = await import('@nestjs/core');
  const { EdgeAdapter } = await import('./edge-adapter.js');
  const { createFastify } = await import('./fastify-instance.js');
  const tracing = await openTracing(config, logger, `drawbridge-${options.name}`);
  const present: PresentRefusal = (error, request, reply) =>
    nest.get(EdgeExceptionFilter).answer(error, request, reply);
  const instance = createFastify(config, present, logger, tracing);

  @Module({ imports: [PlatformModule.with(config, logger, tracing), options.module] })
  class Root {}

  const nest = await NestFactory.create<NestFastifyApplication>(Root, new EdgeAdapter(instance), {
    bodyParser: false,
    abortOnError: false,
    logger: new NestLog(logger),
  });
  nest.useGlobalFilters(nest.get(EdgeExceptionFilter));
  nest.get(RequestsUnderWay).follow(instance);
  endConnectionsWhileDraining(instance, nest.get(Readiness));
  if (config.METRICS_PORT !== undefined) measureRequests(instance, nest.get(Metrics));
  try {
    await nest.init();
    releaseMemoryOfStart();
    // Bypasses Nest, which would log its own line about a taken port.
    await instance.listen({ port: config.PORT, host: config.HOST });
  } catch (error) {
    await nest.close();
    await tracing.close();
    throw error;
  }
  const address = instance.server.address();
  const port = typeof address === 'object' && address ? address.port : config.PORT;
  const host = config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST;
  nest.get(PublicAddress).listensOn(port);
  logger.info({ app: options.name, host: config.HOST, port }, 'listening');
  const shutdown = new Shutdown(nest, config, logger, tracing);
  return {
    url: `http://${host}:${port}`,
    port,
    nest,
    close: () => shutdown.run(),
    hurry: () => shutdown.hurry(),
  };
}
