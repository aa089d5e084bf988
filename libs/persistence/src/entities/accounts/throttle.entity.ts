import { Column, Entity, Index } from 'typeorm';
import { ExactTextKey } from '../columns';

/** Failed sign-ins counted for one address or account. */
@Entity('throttle')
@Index('throttle_window', ['windowEndsAt'])
export class ThrottleEntity {
  /** Keyed hash of the address or account. */
  @ExactTextKey()
  bucket!: string;

  /** Failures within the window. */
  @Column('integer')
  failures!: number;

  /** Time at which the count starts again. */
  @Column('timestamptz')
  windowEndsAt!: Date;
}
