import { Injectable } from '@nestjs/common';
import { BackupTimesRepository, Database } from '#persistence';
import { Metrics } from '#platform';

/** Metrics of the last backups. They describe the instance, so every worker reports the same values. */
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

/** Without a backup, a time that exceeds the limit of every alert. */
const secondsSince = (time: Date | null): number => (Date.now() - (time?.getTime() ?? 0)) / 1000;
