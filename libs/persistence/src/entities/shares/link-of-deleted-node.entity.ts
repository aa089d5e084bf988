import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A link that ended because its node was deleted; its address answers "not found". */
@Entity('link_of_deleted_node')
export class LinkOfDeletedNodeEntity {
  /** Keyed hash of the link's token. */
  @PrimaryColumn('bytea')
  tokenHmac!: Buffer;

  /** Time of the deletion. */
  @Column('timestamptz', { default: () => 'now()' })
  endedAt!: Date;
}
