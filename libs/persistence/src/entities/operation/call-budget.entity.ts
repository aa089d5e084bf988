import { Column, Entity } from 'typeorm';
import { ExactTextKey } from '../columns';

/** Recent calls without an account of one caller. */
@Entity('call_budget')
export class CallBudgetEntity {
  /** Keyed hash of the caller and the kind of call. */
  @ExactTextKey()
  bucket!: string;

  /** Calls that still count against the budget. */
  @Column('double precision')
  level!: number;

  /** Time of the last call. */
  @Column('timestamptz', { default: () => 'now()' })
  spentAt!: Date;
}
