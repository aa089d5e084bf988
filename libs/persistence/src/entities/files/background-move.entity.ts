import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { UserAccountEntity } from '../accounts/user-account.entity';
import { ExactText } from '../columns';

/** A MOVE that continues after its answer. */
@Entity('background_move')
@Index('background_move_of_user', ['uid'])
@Index('background_move_by_sight', ['seenAt'])
export class BackgroundMoveEntity {
  /** Id in the address at which its client asks for its state. */
  @PrimaryColumn('uuid')
  id!: string;

  /** Account of the request. */
  @ExactText()
  uid!: string;

  /** Result; NULL: it is still running. */
  @Column('jsonb', { nullable: true })
  outcome!: unknown;

  @Column('timestamptz', { default: () => 'now()' })
  startedAt!: Date;

  /** Time of the last sign of life from the replica that works on it. */
  @Column('timestamptz', { default: () => 'now()' })
  seenAt!: Date;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'uid' })
  account?: UserAccountEntity;
}
