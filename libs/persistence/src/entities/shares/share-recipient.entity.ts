import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { UserAccountEntity } from '../accounts/user-account.entity';
import { ShareEntity } from './share.entity';
import { ComputedColumn, ExactText, ExactTextKey } from '../columns';

/** The state of a user or group share for one recipient. */
@Entity('share_recipient')
@Index('share_recipient_below', ['uid', 'fileTarget'], { where: 'state = 0' })
@Index('share_recipient_by_folder', ['uid', 'folderHash'], { where: 'state = 0' })
@Index('share_recipient_by_target', ['uid', 'targetHash'], { where: 'state = 0' })
@Index('share_recipient_by_user', ['uid', 'state', 'shareId'])
@Index('share_recipient_unplaced', ['uid'], { where: 'state = 0 AND file_target IS NULL' })
@Check('share_recipient_file_target_check', 'octet_length(file_target) <= 4000')
@Check('share_recipient_state_check', 'state IN (0, 1, 2)')
export class ShareRecipientEntity {
  @PrimaryColumn('bigint')
  shareId!: number;

  @ExactTextKey()
  uid!: string;

  /** 0 accepted, 1 pending, 2 declined. */
  @Column('smallint')
  state!: number;

  /** Mount point in the recipient's tree; NULL: not placed yet. */
  @ExactText({ nullable: true })
  fileTarget!: string | null;

  /** Hash of `file_target`, for look-ups by path. */
  @ComputedColumn('uuid')
  targetHash!: string | null;

  /** Hash of the folder of `file_target`, for listings. */
  @ComputedColumn('uuid')
  folderHash!: string | null;

  @ManyToOne(() => ShareEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'share_id' })
  share?: ShareEntity;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'uid' })
  account?: UserAccountEntity;
}
