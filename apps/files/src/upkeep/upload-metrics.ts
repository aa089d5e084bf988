import { Injectable } from '@nestjs/common';
import { UploadFiguresRepository } from '#persistence';
import { Metrics } from '#platform';

/** Metrics of unfinished uploads. They describe the instance: take the maximum over processes, not the sum. */
@Injectable()
export class UploadMetrics {
  constructor(metrics: Metrics, uploads: UploadFiguresRepository) {
    metrics.gauge(
      'unfinished_uploads',
      'Files that are being sent in pieces and are not complete',
      [],
      async () => [{ labels: {}, value: (await uploads.figures()).uploads }],
    );
    metrics.gauge(
      'unfinished_upload_bytes',
      'Bytes of all pieces of them that have arrived',
      [],
      async () => [{ labels: {}, value: (await uploads.figures()).bytes }],
    );
  }
}
