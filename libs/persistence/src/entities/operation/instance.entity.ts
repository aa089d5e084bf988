import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** This instance; one row. */
@Entity('instance')
@Check('instance_only_row_check', 'only_row')
export class InstanceEntity {
  @PrimaryColumn('boolean', { default: true })
  onlyRow!: boolean;

  /** Name of the instance in ids that clients keep. */
  @Column('text')
  instanceId!: string;

  /** Recognises the encryption key. */
  @Column('bytea', { nullable: true })
  keyCheck!: Buffer | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  /** Key of the hashes of tokens, encrypted. */
  @Column('bytea', { nullable: true })
  sealedLookupKey!: Buffer | null;

  /** The moment that the last whole backup holds. */
  @Column('timestamptz', { nullable: true })
  backedUpAt!: Date | null;

  /** The moment that the last backup holds that was restored to try it. */
  @Column('timestamptz', { nullable: true })
  rehearsedBackupAt!: Date | null;
}
