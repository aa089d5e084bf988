import '#node-version';
import { Inject, Module } from '@nestjs/common';
import { CONFIG, ConfigError, Readiness, runService, type Config } from '#platform';
import { JobQueues, QueueModule } from '#queue';
import { FederationWorkerModule } from './federation-worker.module';
import { PartnersModule } from './partners/partners.module';

/** The worker as a separate process. No client calls it at the instance's address. It is ready while it reaches its queue. */
@Module({ imports: [FederationWorkerModule.with(PartnersModule), QueueModule] })
class WorkerProcessModule {
  /** @throws ConfigError */
  constructor(@Inject(CONFIG) config: Config, readiness: Readiness, queues: JobQueues) {
    if (!config.PUBLIC_URL)
      throw new ConfigError(
        'PUBLIC_URL is not set: partners are told under which address this instance is reached.',
      );
    readiness.add('queue', () => queues.backlog('delivery'));
  }
}

void runService('federation-worker', WorkerProcessModule);
