import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn, Unique } from 'typeorm';
import { UserAccountEntity } from '../accounts/user-account.entity';
import { PeerEntity } from './peer.entity';
import { ExactText } from '../columns';

/** A person at a partner who is connected with one of our users by an invitation. */
@Entity('contact')
@Index('contact_by_peer', ['peerId'])
@Unique(['uid', 'peerId', 'remoteUser'])
@Check('contact_person_check', 'octet_length(person) BETWEEN 1 AND 1024')
@Check('contact_remote_user_check', 'octet_length(remote_user) BETWEEN 1 AND 1024')
export class ContactEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @ExactText()
  uid!: string;

  @Column('bigint')
  peerId!: number;

  /** User id in the spelling of the partner's server. */
  @ExactText()
  remoteUser!: string;

  /** Name, as the partner's server sent it. */
  @Column('text', { default: '' })
  displayName!: string;

  /** Mail address, as the partner's server sent it. */
  @Column('text', { default: '' })
  email!: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  /** User id inside an encoded `remote_user`; NULL: it is not encoded. */
  @ExactText({ nullable: true })
  person!: string | null;

  @ManyToOne(() => PeerEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'peer_id' })
  peer?: PeerEntity;

  @ManyToOne(() => UserAccountEntity, { onDelete: 'CASCADE', nullable: false })
  @JoinColumn({ name: 'uid' })
  account?: UserAccountEntity;
}
