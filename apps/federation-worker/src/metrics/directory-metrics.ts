import { Inject, Injectable } from '@nestjs/common';
import { directoryStateOn } from '#identity';
import { Database } from '#persistence';
import { CONFIG, Metrics, type Config } from '#platform';

/** Metrics of the read directory; none without one. They describe the instance, so every worker reports the same values. */
@Injectable()
export class DirectoryMetrics {
  constructor(metrics: Metrics, database: Database, @Inject(CONFIG) config: Config) {
    if (!config.LDAP_URLS) return;
    const state = () => directoryStateOn(database, config);
    metrics.gauge(
      'directory_read_seconds',
      'Time since the last reading of the directory that was taken over: changes, or all of it',
      ['reading'],
      async () => {
        const { readAt, readFullyAt } = (await state()) ?? {};
        return [
          { labels: { reading: 'changes' }, value: secondsSince(readAt) },
          { labels: { reading: 'all' }, value: secondsSince(readFullyAt) },
        ];
      },
    );
    metrics.gauge(
      'directory_entries',
      'People and groups of the directory at its last whole reading; refused: those that got no account or group',
      ['kind'],
      async () => {
        const { people = 0, groups = 0, refused = 0 } = (await state()) ?? {};
        return Object.entries({ people, groups, refused }).map(([kind, value]) => ({
          labels: { kind },
          value,
        }));
      },
    );
    metrics.gauge(
      'directory_problem',
      'Whether the last answer of the directory is held back, or the last reading failed: 1, otherwise 0',
      ['problem'],
      async () => {
        const { heldBack = null, failure = null } = (await state()) ?? {};
        return Object.entries({ held_back: heldBack, failure }).map(([problem, reason]) => ({
          labels: { problem },
          value: Number(reason !== null),
        }));
      },
    );
  }
}

/** Without a reading, a time that exceeds the limit of every alert. */
const secondsSince = (time: Date | null | undefined): number => (Date.now() - (time?.getTime() ?? 0)) / 1000;
