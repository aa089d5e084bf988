import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** This instance; one row. */
@Entity('instance')
@Check('instance_only_row_check', 'only_row')
export class InstanceEntity {
  @PrimaryColumn('boolean', { default: true })
  onlyRow!: boolean;

  /** Name of the instance in ids that clients store. */
  @Column('text')
  instanceId!: string;

  /** Check value that recognises the encryption key. */
  @Column('bytea', { nullable: true })
  keyCheck!: Buffer | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  /** Key for the hashes of tokens, encrypted. */
  @Column('bytea', { nullable: true })
  sealedLookupKey!: Buffer | null;

  /** Time of the data in the last complete backup. */
  @Column('timestamptz', { nullable: true })
  backedUpAt!: Date | null;

  /** Time of the data in the last backup that was restored as a test. */
  @Column('timestamptz', { nullable: true })
  rehearsedBackupAt!: Date | null;
}
