import { statfs } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, Metrics, type Config } from '#platform';
import { blobDirectory } from '#storage';

/** Metrics of the volume with file content; none if the content is in a bucket. */
@Injectable()
export class VolumeMetrics {
  constructor(metrics: Metrics, @Inject(CONFIG) config: Config) {
    const directory = blobDirectory(config);
    if (directory === undefined) return;
    metrics.gauge(
      'volume_bytes',
      'Size of the volume of file content, and how much of it is free',
      ['state'],
      async () => {
        const { bavail, blocks, bsize } = await statfs(directory);
        return [
          { labels: { state: 'free' }, value: bavail * bsize },
          { labels: { state: 'total' }, value: blocks * bsize },
        ];
      },
    );
  }
}
