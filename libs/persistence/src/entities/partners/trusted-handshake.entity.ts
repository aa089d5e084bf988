import { Check, Column, Entity, Index, JoinColumn, OneToOne, PrimaryColumn } from 'typeorm';
import { PeerEntity } from './peer.entity';
import { ExactText } from '../columns';

/** The exchange through which two ownCloud or Nextcloud servers come to trust each other. */
@Entity('trusted_handshake')
@Index('trusted_handshake_by_secret', ['secretHmac'], { where: 'secret_hmac IS NOT NULL' })
@Index('trusted_handshake_due', ['dueAt'], { where: 'due_at IS NOT NULL' })
@Check('trusted_handshake_check', `state <> 'done' OR secret_hmac IS NOT NULL`)
@Check(
  'trusted_handshake_state_check',
  `state IN ('asking', 'asked', 'declined', 'fetching', 'done', 'failed')`,
)
export class TrustedHandshakeEntity {
  @PrimaryColumn('bigint')
  peerId!: number;

  /** Present step. */
  @ExactText({ default: 'asking' })
  state!: string;

  /** Token that this instance chose, encrypted. */
  @Column('bytea', { nullable: true })
  sealedOwnToken!: Buffer | null;

  /** Token that the partner chose, encrypted. */
  @Column('bytea', { nullable: true })
  sealedPartnerToken!: Buffer | null;

  /** Keyed hash of the secret that both agreed on. */
  @Column('bytea', { nullable: true })
  secretHmac!: Buffer | null;

  /** The same secret, encrypted, for reading the partner's address book; NULL if it was agreed on before that was possible. */
  @Column('bytea', { nullable: true })
  sealedSecret!: Buffer | null;

  /** Attempts of the present step. */
  @Column('integer', { default: 0 })
  attempts!: number;

  /** Time of the next attempt; NULL: none is due. */
  @Column('timestamptz', { nullable: true })
  dueAt!: Date | null;

  /** Reason why the handshake failed or was declined. */
  @Column('text', { default: '' })
  reason!: string;

  @Column('timestamptz', { default: () => 'now()' })
  changedAt!: Date;

  @OneToOne(() => PeerEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'peer_id' })
  peer?: PeerEntity;
}
