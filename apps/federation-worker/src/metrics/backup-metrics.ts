import { Injectable } from '@nestjs/common';
import { BackupTimesRepository, Database } from '#persistence';
import { Metrics } from '#platform';

/** Metrics of the moments to which the instance can go back. They are the instance's, the same from every worker. */
@Injectable()
export class BackupMetrics {
  constructor(metrics: Metrics, database: Database) {
    const times = new BackupTimesRepository(database);
    metrics.gauge(
      'backup_seconds',
      'Age of the moment that the last backup holds (made), and the last one that was restored to try it (rehearsed)',
      ['state'],
      async () => {
        const { made, rehearsed } = await times.read();
        return [
          { labels: { state: 'made' }, value: secondsSince(made) },
          { labels: { state: 'rehearsed' }, value: secondsSince(rehearsed) },
        ];
      },
    );
  }
}

/** Without one, a time that every alert takes for too long. */
const secondsSince = (time: Date | null): number => (Date.now() - (time?.getTime() ?? 0)) / 1000;
