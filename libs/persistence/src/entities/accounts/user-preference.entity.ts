import { Column, Entity, JoinColumn, ManyToOne } from 'typeorm';
import { UserAccountEntity } from './user-account.entity';
import { ExactTextKey } from '../columns';

/** A preference of one account, for example to accept shares by hand. */
@Entity('user_preference')
export class UserPreferenceEntity {
  @ExactTextKey()
  uid!: string;

  /** App that the preference belongs to. */
  @ExactTextKey()
  app!: string;

  /** Name of the preference within its app. */
  @ExactTextKey()
  key!: string;

  @Column('text')
  value!: string;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'uid' })
  account?: UserAccountEntity;
}
