import { type DynamicModule, Module } from '@nestjs/common';
import type { Config } from './config/table';
import { HealthController } from './health/health.controller';
import { Readiness } from './health/readiness';
import { EdgeExceptionFilter } from './http/edge-exception.filter';
import { ErrorPresenters } from './http/error-presenters';
import { RequestsUnderWay } from './http/requests-under-way';
import type { Logger } from './logging';
import { Metrics } from './metrics/metrics';
import { MetricsServer } from './metrics/metrics-server';
import { PublicAddress } from './public-address';
import { readEncryptionKey, readPreviousKey } from './secrets/encryption-key';
import { SecretBox } from './secrets/secret-box';
import { CONFIG, LOGGER } from './tokens';
import { Tracing } from './tracing/tracing';

/** Configuration, logger, health, and the conversion of errors into replies. */
@Module({})
export class PlatformModule {
  static with(config: Config, logger: Logger, tracing: Tracing = Tracing.off): DynamicModule {
    return {
      module: PlatformModule,
      global: true,
      controllers: [HealthController],
      providers: [
        { provide: CONFIG, useValue: config },
        { provide: LOGGER, useValue: logger },
        { provide: Tracing, useValue: tracing },
        { provide: PublicAddress, useFactory: () => new PublicAddress(config) },
        Readiness,
        RequestsUnderWay,
        ErrorPresenters,
        EdgeExceptionFilter,
        Metrics,
        MetricsServer,
        {
          provide: SecretBox,
          useFactory: () =>
            new SecretBox(
              () => readEncryptionKey(config),
              () => readPreviousKey(config),
            ),
        },
      ],
      exports: [CONFIG, LOGGER, Tracing, PublicAddress, Readiness, ErrorPresenters, Metrics, SecretBox],
    };
  }
}
