import { Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { UserAccountEntity } from './user-account.entity';
import { ShareEntity } from '../shares/share.entity';
import { ExactTextKey } from '../columns';

/** A pending share whose notification its recipient dismissed. */
@Entity('share_notice_dismissed')
@Index('share_notice_dismissed_by_share', ['shareId'])
export class ShareNoticeDismissedEntity {
  @ExactTextKey()
  uid!: string;

  @PrimaryColumn('bigint')
  shareId!: number;

  @ManyToOne(() => ShareEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'share_id' })
  share?: ShareEntity;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'uid' })
  account?: UserAccountEntity;
}
