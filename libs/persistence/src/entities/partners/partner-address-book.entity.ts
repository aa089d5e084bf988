import { Check, Column, Entity, Index, JoinColumn, ManyToOne, OneToOne, PrimaryColumn } from 'typeorm';
import { PeerEntity } from './peer.entity';
import { ComputedColumn, ExactText, ExactTextKey } from '../columns';

/** The address book of a trusted server, which is read once a day. */
@Entity('partner_address_book')
export class PartnerAddressBookEntity {
  @PrimaryColumn('bigint')
  peerId!: number;

  /** The partner's mark of the state that was read last; empty: everything is read. */
  @Column('text', { default: '' })
  syncToken!: string;

  /** Time of the next reading. */
  @Column('timestamptz', { default: () => 'now()' })
  dueAt!: Date;

  /** Time of the last complete reading; NULL: there was none. */
  @Column('timestamptz', { nullable: true })
  fetchedAt!: Date | null;

  /** Reason why the last reading failed; empty: it did not. */
  @Column('text', { default: '' })
  error!: string;

  @OneToOne(() => PeerEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'peer_id' })
  peer?: PeerEntity;
}

/** A person in the address book of a trusted server. */
@Entity('partner_address_card')
@Index('partner_address_card_search', { synchronize: false })
@Check('partner_address_card_canonical_check', 'octet_length(canonical) BETWEEN 1 AND 2048')
@Check('partner_address_card_cloud_id_check', 'octet_length(cloud_id) BETWEEN 1 AND 2048')
@Check('partner_address_card_name_check', 'octet_length(name) BETWEEN 1 AND 1024')
export class PartnerAddressCardEntity {
  @PrimaryColumn('bigint')
  peerId!: number;

  /** Name of the card in the book, as the partner writes it. */
  @ExactTextKey()
  name!: string;

  /** ETag of the card as it was read. */
  @ExactText()
  etag!: string;

  /** Federated cloud id, always at the host of the partner; NULL: the card cannot be understood, and is kept so that it is not read again. */
  @ExactText({ nullable: true })
  cloudId!: string | null;

  /** The same for all spellings of the cloud id. */
  @ExactText({ nullable: true })
  canonical!: string | null;

  @Column('text')
  displayName!: string;

  /** Empty: none was given. */
  @Column('text')
  email!: string;

  /** Empty: none was given. */
  @Column('text')
  organisation!: string;

  /** Normalised cloud id, name and mail address, for the search of sharees. */
  @ComputedColumn('text')
  searchText!: string | null;

  @ManyToOne(() => PartnerAddressBookEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'peer_id' })
  book?: PartnerAddressBookEntity;
}
