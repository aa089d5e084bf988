import { createHash } from 'node:crypto';

/** Statements that lock a table, and statements that drop objects after such a statement. */
const LOCKING = /^(CREATE OR REPLACE TRIGGER|DROP TRIGGER|DROP FUNCTION) [^;]+;$/gm;

/** The form of a subject that was applied last to a database. */
export interface AppliedForm {
  readonly subject: string;
  readonly revision: number;
  readonly digest: string;
  /** Digests of the statements that created or dropped triggers. */
  readonly triggers: readonly string[];
}

/** Functions and triggers of one subject in this version. All its statements can be repeated. */
export class CurrentForm {
  /** Statements that create the functions; they lock no table. */
  readonly functions: string;
  /** Statements that create or drop a trigger, in order. Each blocks the writers of its table until it is committed. */
  readonly triggers: readonly { readonly sql: string; readonly digest: string }[];
  readonly digest: string;

  constructor(
    readonly subject: string,
    readonly revision: number,
    sql: string,
  ) {
    this.functions = sql.replace(LOCKING, '');
    this.triggers = (sql.match(LOCKING) ?? []).map((statement) => ({
      sql: statement,
      digest: digestOf(statement),
    }));
    this.digest = digestOf(sql);
  }

  /** The name of this form in lists of missing changes, which also contain names of migrations. */
  get name(): string {
    return `functions of ${this.subject}`;
  }

  /**
   * Whether a database needs this form. A later revision comes from a newer version and also works for older processes, so
   * their start does not undo it.
   */
  isMissingIn(applied: readonly AppliedForm[]): boolean {
    const known = applied.find(({ subject }) => subject === this.subject);
    return (
      known === undefined ||
      known.revision < this.revision ||
      (known.revision === this.revision && known.digest !== this.digest)
    );
  }

  isBehind(applied: readonly AppliedForm[]): boolean {
    return applied.some(({ subject, revision }) => subject === this.subject && revision > this.revision);
  }
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);
