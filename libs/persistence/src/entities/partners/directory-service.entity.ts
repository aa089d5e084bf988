import { Check, Column, Entity } from 'typeorm';
import { ExactTextKey } from '../columns';

/** A directory service: it signs a list of servers, from which invited people choose their own. */
@Entity('directory_service')
@Check('directory_service_url_check', 'octet_length(url) BETWEEN 1 AND 2048')
@Check('directory_service_public_key_check', 'octet_length(public_key) <= 8192')
export class DirectoryServiceEntity {
  @ExactTextKey()
  url!: string;

  /** Key by which its answers are checked, in PEM. */
  @Column('text')
  publicKey!: string;

  /** Name of the federation; empty until it was fetched. */
  @Column('text', { default: '' })
  federation!: string;

  /** Its servers: objects with `hostKey` and `name`. */
  @Column('jsonb', { default: () => "'[]'" })
  servers!: readonly { readonly hostKey: string; readonly name: string }[];

  /** Time of the last answer that was right; NULL: there was none. */
  @Column('timestamptz', { nullable: true })
  fetchedAt!: Date | null;

  /** Time of the next question. */
  @Column('timestamptz', { default: () => 'now()' })
  dueAt!: Date;

  /** Reason why the last question failed; empty: it did not. */
  @Column('text', { default: '' })
  error!: string;
}
