import type { JsonWebKey } from 'node:crypto';
import type { SigningAlgorithm } from '#federation/protocol';
import { Check, Column, Entity, Index } from 'typeorm';
import { ExactText, ExactTextKey } from '../columns';

/** A key with which this instance signs. */
@Entity('signing_key')
@Index('signing_key_current', ['algorithm'], { unique: true, where: 'retired_at IS NULL' })
@Check('signing_key_algorithm_check', `algorithm IN ('rsa-sha512', 'ecdsa-p256-sha256', 'ed25519')`)
export class SigningKeyEntity {
  /** Key id without the host. */
  @ExactTextKey()
  id!: string;

  @ExactText()
  algorithm!: SigningAlgorithm;

  /** Private key, encrypted. */
  @Column('bytea')
  sealedPrivateKey!: Buffer;

  /** Public key as JWK. */
  @Column('jsonb')
  publicJwk!: JsonWebKey;

  /** Time from which the key signs. */
  @Column('timestamptz')
  notBefore!: Date;

  /** Time at which it stopped signing; NULL: in use. */
  @Column('timestamptz', { nullable: true })
  retiredAt!: Date | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;
}
