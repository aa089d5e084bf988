import { Check, Column, Entity, JoinColumn, OneToOne, PrimaryColumn } from 'typeorm';
import { PeerEntity } from '../partners/peer.entity';

/** Published keys of a partner, as last read. */
@Entity('partner_keys')
@Check('partner_keys_document_keys_check', 'octet_length(document_keys) <= 65536')
@Check('partner_keys_jwks_check', 'octet_length(jwks) <= 131072')
export class PartnerKeysEntity {
  @PrimaryColumn('bigint')
  peerId!: number;

  /** Keys of its discovery document, as JSON text. */
  @Column('text', { default: '' })
  documentKeys!: string;

  /** Time at which the document was read. */
  @Column('timestamptz', { nullable: true })
  documentReadAt!: Date | null;

  /** Its key set, as JSON text. */
  @Column('text', { default: '' })
  jwks!: string;

  /** Time at which the key set was read. */
  @Column('timestamptz', { nullable: true })
  jwksReadAt!: Date | null;

  /** Time of the last request for the keys. */
  @Column('timestamptz', { nullable: true })
  askedAt!: Date | null;

  /** Time of the last answer. */
  @Column('timestamptz', { nullable: true })
  answeredAt!: Date | null;

  /** Time of the last message with a valid signature. */
  @Column('timestamptz', { nullable: true })
  signedAt!: Date | null;

  @OneToOne(() => PeerEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'peer_id' })
  peer?: PeerEntity;
}
