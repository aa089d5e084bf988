import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Figures of deliveries at a full minute; kept for a month. */
@Entity('operation_sample')
export class OperationSampleEntity {
  @PrimaryColumn('timestamptz')
  at!: Date;

  /** Messages delivered in the minute before. */
  @Column('integer')
  delivered!: number;

  /** Messages given up or refused in the minute before. */
  @Column('integer')
  givenUp!: number;

  /** Unfinished messages at this time. */
  @Column('integer')
  waiting!: number;

  /** Messages at this time that were given up and not sent again. */
  @Column('integer')
  dead!: number;
}
