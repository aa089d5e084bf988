import { Check, Column, Entity, Index, JoinColumn, ManyToOne } from 'typeorm';
import { UserAccountEntity } from './user-account.entity';
import { ExactText, ExactTextKey } from '../columns';

/** The picture of an account, or an uploaded one that its user still has to cut to a square. */
@Entity('user_avatar')
@Index('user_avatar_drafts', ['savedAt'], { where: `stage = 'draft'` })
@Check('user_avatar_stage_check', `stage IN ('shown', 'draft')`)
@Check('user_avatar_picture_check', 'octet_length(picture) <= 8388608')
@Check('user_avatar_mimetype_check', `mimetype IN ('image/jpeg', 'image/png')`)
export class UserAvatarEntity {
  @ExactTextKey()
  uid!: string;

  /** `shown` to other people, or `draft`. */
  @ExactTextKey()
  stage!: 'shown' | 'draft';

  /** The picture in the form that the process of previews wrote. */
  @Column('bytea')
  picture!: Buffer;

  @ExactText()
  mimetype!: string;

  /** SHA-256 of the picture in hexadecimal digits: part of its ETags. */
  @ExactText()
  digest!: string;

  @Column('timestamptz', { default: () => 'now()' })
  savedAt!: Date;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'uid' })
  account?: UserAccountEntity;
}
