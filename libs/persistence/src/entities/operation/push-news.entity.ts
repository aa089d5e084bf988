import { Column, Entity, PrimaryColumn } from 'typeorm';
import { ExactTextKey } from '../columns';

/** A change for clients that stay connected; kept for a minute. */
@Entity('push_news')
export class PushNewsEntity {
  /** Number of the transaction that wrote it. */
  @PrimaryColumn('bigint', { default: () => 'pg_current_xact_id()::text::bigint' })
  writtenBy!: number;

  /** Kind of the changed object, such as `node`. */
  @ExactTextKey()
  topic!: string;

  /** Id of the node, account or group. */
  @ExactTextKey()
  key!: string;

  @Column('timestamptz', { default: () => 'now()' })
  writtenAt!: Date;
}
