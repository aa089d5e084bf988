import { Injectable } from '@nestjs/common';
import { Database, StoredWriteRepository } from '#persistence';
import { Metrics } from '#platform';

/** Metrics of files that wait for partners. They are the instance's: take the maximum over processes, not the sum. */
@Injectable()
export class StoredWriteMetrics {
  constructor(metrics: Metrics, database: Database) {
    const writes = new StoredWriteRepository(database);
    const gauge = (name: string, help: string, key: 'writes' | 'bytes' | 'oldestSeconds'): void =>
      void metrics.gauge(name, help, ['partner'], async () =>
        (await writes.figures()).map((figure) => ({
          labels: { partner: figure.hostKey },
          value: figure[key],
        })),
      );
    gauge('stored_writes', 'Files that wait to be written into folders of a partner', 'writes');
    gauge('stored_write_bytes', 'Bytes of all of them', 'bytes');
    gauge('stored_write_age_seconds', 'Age of the oldest of them', 'oldestSeconds');
  }
}
