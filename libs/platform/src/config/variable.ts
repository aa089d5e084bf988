import type { Parser } from './parsers';

/** One row of the configuration table: the parser of a variable, and its description. */
export interface Variable<T> {
  readonly parse: Parser<T>;
  /** The default in written form; undefined if the variable may be absent. */
  readonly fallback?: string;
  /** Meaning of the variable, for operators. */
  readonly meaning: string;
  /** An example in written form, for the generated file. */
  readonly example?: string;
  /** Whether the value must never appear in a log, an error or a report. */
  readonly secret?: boolean;
}

/** A row whose variable always has a value. */
export const required = <T>(row: Variable<T> & { fallback: string }): Variable<T> & { fallback: string } =>
  row;
/** A row whose variable may be absent. */
export const optional = <T>(row: Variable<T>): Variable<T> & { fallback?: undefined } => ({
  ...row,
  fallback: undefined,
});
