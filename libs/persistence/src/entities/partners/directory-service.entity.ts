import { Check, Column, Entity } from 'typeorm';
import { ExactTextKey } from '../columns';

/** A directory service: it signs a list of servers in which invited people find their own. */
@Entity('directory_service')
@Check('directory_service_url_check', 'octet_length(url) BETWEEN 1 AND 2048')
@Check('directory_service_public_key_check', 'octet_length(public_key) <= 8192')
export class DirectoryServiceEntity {
  @ExactTextKey()
  url!: string;

  /** Key for checking its answers, in PEM. */
  @Column('text')
  publicKey!: string;

  /** Name of the federation; empty until the first answer. */
  @Column('text', { default: '' })
  federation!: string;

  /** Its servers: objects with `hostKey` and `name`. */
  @Column('jsonb', { default: () => "'[]'" })
  servers!: readonly { readonly hostKey: string; readonly name: string }[];

  /** Time of the last valid answer; NULL: there was none. */
  @Column('timestamptz', { nullable: true })
  fetchedAt!: Date | null;

  /** Time of the next request. */
  @Column('timestamptz', { default: () => 'now()' })
  dueAt!: Date;

  /** Reason why the last request failed; empty: it did not. */
  @Column('text', { default: '' })
  error!: string;
}
