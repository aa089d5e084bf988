import { Column, Entity } from 'typeorm';
import { ExactTextKey } from '../columns';

/** Calls without an account that one caller spent lately. */
@Entity('call_budget')
export class CallBudgetEntity {
  /** Keyed hash of the caller and the kind of call. */
  @ExactTextKey()
  bucket!: string;

  /** Calls spent and not yet forgiven. */
  @Column('double precision')
  level!: number;

  /** Time of the last call. */
  @Column('timestamptz', { default: () => 'now()' })
  spentAt!: Date;
}
