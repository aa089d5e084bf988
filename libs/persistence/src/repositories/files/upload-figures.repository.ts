import { Injectable } from '@nestjs/common';
import { settingDefinition } from '#sharing';
import { Database } from '../../database';
import { int4, int8, type RowOf } from '../../postgres-types';
import { statement } from '../../statement';

const FALLBACK_DAYS = Number(settingDefinition('files', 'unfinished_uploads_days')!.fallback);

const UPLOAD_FIGURES = {
  uploads: int8,
  /** Bytes of all pieces that have arrived. */
  bytes: int8,
  /** Uploads that should have been removed a day ago or earlier. */
  overdue: int8,
};
/** Files that are being sent in pieces, all senders together. */
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

/** How many files are being sent in pieces. */
@Injectable()
export class UploadFiguresRepository {
  constructor(private readonly database: Database) {}

  async figures(): Promise<UploadFigures> {
    return (await this.database.rows(FIGURES, { days: FALLBACK_DAYS }))[0]!;
  }
}
