import { Injectable } from '@nestjs/common';
import { settingDefinition } from '#sharing';
import { Database } from '../../database';
import { int4, int8, type RowOf } from '../../postgres-types';
import { statement } from '../../statement';

const FALLBACK_DAYS = Number(settingDefinition('files', 'unfinished_uploads_days')!.fallback);

const UPLOAD_FIGURES = {
  uploads: int8,
  /** Bytes of all parts that have arrived. */
  bytes: int8,
  /** Uploads that expired at least a day ago and still exist. */
  overdue: int8,
};
/** Figures of unfinished uploads, all senders together. */
export type UploadFigures = RowOf<typeof UPLOAD_FIGURES>;

const FIGURES = statement({
  name: 'upload.figures',
  params: { days: int4 },
  row: UPLOAD_FIGURES,
  sql: `SELECT count(*) AS uploads, coalesce(sum(received_bytes), 0)::bigint AS bytes,
     count(*) FILTER (WHERE touched_at < now() - make_interval(days => 1 +
       coalesce((SELECT value::integer FROM setting WHERE app = 'files' AND key = 'unfinished_uploads_days'), :days))) AS overdue
   FROM upload WHERE finished_node_id IS NULL`,
});

/** Figures of unfinished uploads. */
@Injectable()
export class UploadFiguresRepository {
  constructor(private readonly database: Database) {}

  async figures(): Promise<UploadFigures> {
    return (await this.database.rows(FIGURES, { days: FALLBACK_DAYS }))[0]!;
  }
}
