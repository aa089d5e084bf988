import { Check, Column, Entity, JoinColumn, ManyToOne } from 'typeorm';
import { UserAccountEntity } from './user-account.entity';
import { ExactText, ExactTextKey } from '../columns';

/** A value that a client stores for its user. */
@Entity('private_value')
@Check('private_value_app_check', 'char_length(app) BETWEEN 1 AND 255')
@Check('private_value_key_check', 'char_length(key) BETWEEN 1 AND 255')
@Check('private_value_value_check', 'char_length(value) <= 65536')
export class PrivateValueEntity {
  @ExactTextKey()
  uid!: string;

  /** Name that the client chose for a group of values. */
  @ExactTextKey()
  app!: string;

  @ExactTextKey()
  key!: string;

  @ExactText()
  value!: string;

  @Column('timestamptz', { default: () => 'now()' })
  savedAt!: Date;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'uid' })
  account?: UserAccountEntity;
}
