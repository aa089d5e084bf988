import { Check, Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { ExactText, ExactTextKey } from '../columns';
import { UploadEntity } from './upload.entity';

/** A part of a file that is being uploaded. */
@Entity('upload_part')
@Index('upload_part_by_blob', ['blobKey'], { unique: true })
@Check('upload_part_name_check', 'octet_length(name) BETWEEN 1 AND 255')
@Check('upload_part_size_check', 'size >= 0')
export class UploadPartEntity {
  @PrimaryColumn('bigint')
  uploadId!: number;

  /** Name of the part, chosen by the sender; with TUS, the offset in twenty digits. */
  @ExactTextKey()
  name!: string;

  /** In bytes. */
  @Column('bigint')
  size!: number;

  /** Key of the part in the blob store. */
  @ExactText()
  blobKey!: string;

  @Column('timestamptz', { default: () => 'now()' })
  storedAt!: Date;

  @ManyToOne(() => UploadEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'upload_id' })
  upload?: UploadEntity;
}
