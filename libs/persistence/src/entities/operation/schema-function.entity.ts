import { Column, Entity } from 'typeorm';
import { ExactText, ExactTextKey } from '../columns';

/** A subject below `functions/` whose functions and triggers were applied to this database. */
@Entity('schema_function')
export class SchemaFunctionEntity {
  @ExactTextKey()
  subject!: string;

  /** Number of the applied form. A process with an older form leaves it unchanged. */
  @Column('integer')
  revision!: number;

  /** Digest of the SQL that was applied. */
  @ExactText()
  digest!: string;

  /** Digests of the statements that made its triggers, so that only changed triggers lock their tables. */
  @Column('text', { array: true })
  triggers!: string[];
}
