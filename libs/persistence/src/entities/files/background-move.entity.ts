import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { UserAccountEntity } from '../accounts/user-account.entity';
import { ExactText } from '../columns';

/** A MOVE that goes on after its answer. */
@Entity('background_move')
@Index('background_move_of_user', ['uid'])
@Index('background_move_by_sight', ['seenAt'])
export class BackgroundMoveEntity {
  /** Name in the address at which its client asks for its state. */
  @PrimaryColumn('uuid')
  id!: string;

  /** Account that asked for it. */
  @ExactText()
  uid!: string;

  /** How it ended; NULL: it goes on. */
  @Column('jsonb', { nullable: true })
  outcome!: unknown;

  @Column('timestamptz', { default: () => 'now()' })
  startedAt!: Date;

  /** Time of the last sign of life of the replica that works on it. */
  @Column('timestamptz', { default: () => 'now()' })
  seenAt!: Date;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'uid' })
  account?: UserAccountEntity;
}
