import { Column, PrimaryColumn, type ColumnOptions } from 'typeorm';

/** Collation that compares byte by byte, independent of the database's collation. */
const BYTE_ORDER = { type: 'text', collation: 'C' } as const;

/** A text that is compared byte by byte: ids, paths and names of states. */
export function ExactText(options: ColumnOptions = {}): PropertyDecorator {
  return Column({ ...options, ...BYTE_ORDER });
}

/** A text in the primary key, compared byte by byte. */
export function ExactTextKey(): PropertyDecorator {
  return PrimaryColumn(BYTE_ORDER);
}

/** A column that Postgres computes, by an expression in a migration. It is never written, and read only on request. */
export function ComputedColumn(type: 'text' | 'uuid'): PropertyDecorator {
  return Column({ type, nullable: true, insert: false, update: false, select: false });
}
