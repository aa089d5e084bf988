import { Injectable } from '@nestjs/common';
import { Database, StoredWriteRepository } from '#persistence';
import { Metrics } from '#platform';

type Figure = 'writes' | 'bytes' | 'oldestSeconds';

/** Metrics of files that wait for partners. They describe the instance: take the maximum over processes, not the sum. */
@Injectable()
export class StoredWriteMetrics {
  private readonly writes: StoredWriteRepository;

  constructor(metrics: Metrics, database: Database) {
    this.writes = new StoredWriteRepository(database);
    metrics.gauge(
      'stored_writes',
      'Files that wait to be written into folders of a partner',
      ['partner'],
      () => this.byPartner('writes'),
    );
    metrics.gauge('stored_write_bytes', 'Bytes of all of them', ['partner'], () => this.byPartner('bytes'));
    metrics.gauge('stored_write_age_seconds', 'Age of the oldest of them', ['partner'], () =>
      this.byPartner('oldestSeconds'),
    );
  }

  private async byPartner(figure: Figure) {
    const figures = await this.writes.figures();
    return figures.map((one) => ({ labels: { partner: one.hostKey }, value: one[figure] }));
  }
}
