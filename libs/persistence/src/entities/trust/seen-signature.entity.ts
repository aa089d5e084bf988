import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** An accepted signature, which is refused when it is repeated. */
@Entity('seen_signature')
@Index('seen_signature_age', ['until'])
@Check('seen_signature_hash_check', 'octet_length(hash) = 32')
export class SeenSignatureEntity {
  /** SHA-256 of the signature. */
  @PrimaryColumn('bytea')
  hash!: Buffer;

  /** Time after which the signature is too old anyway. */
  @Column('timestamptz')
  until!: Date;
}
