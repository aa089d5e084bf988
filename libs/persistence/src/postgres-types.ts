/**
 * Type of a parameter or a column of a statement: its name in Postgres, and its TypeScript type.
 * Only the constants and functions of this file make one.
 */
export interface PostgresType<Value> {
  /** The name in Postgres, such as `bigint` or `text[]`. */
  readonly name: string;
  readonly nullable: boolean;
  /** Whether the statement leaves out rows in which a nullable column is null. */
  readonly filtered?: true;
  /** Exists for the type only. */
  readonly value?: Value;
}

/** Parameters or columns of a statement, by name. */
export type Columns = Readonly<Record<string, PostgresType<unknown>>>;

type ValueOf<Type> = Type extends PostgresType<infer Value> ? Value : never;

/** A row with these columns. */
export type RowOf<C extends Columns> = { readonly [Name in keyof C]: ValueOf<C[Name]> };

type Given<Value> = Value extends readonly (infer Element)[] ? readonly Element[] : Value;

/** Values for these parameters. */
export type ValuesOf<C extends Columns> = { readonly [Name in keyof C]: Given<ValueOf<C[Name]>> };

const type = <Value>(name: string): PostgresType<Value> => ({ name, nullable: false });

export const bool = type<boolean>('boolean');
export const bytea = type<Buffer>('bytea');
/** A day such as `2031-05-01`. */
export const date = type<string>('date');
export const float4 = type<number>('real');
export const float8 = type<number>('double precision');
export const int2 = type<number>('smallint');
export const int4 = type<number>('integer');
/** Ids, sizes and counts, which stay below 2^53. */
export const int8 = type<number>('bigint');
export const text = type<string>('text');
export const timestamptz = type<Date>('timestamp with time zone');
/** Text of a JSON document, as a parameter. */
export const jsonText = type<string>('jsonb');

/** Result of a function that returns nothing. */
export const voidResult = type<''>('void');
export const uuid = type<string>('uuid');

/** A text with a fixed set of values. */
export const textOf = <Value extends string>(): PostgresType<Value> => type('text');
/** A day with a type of its own. */
export const dateOf = <Value extends string>(): PostgresType<Value> => type('date');
/** A small number with a fixed set of values. */
export const int2Of = <Value extends number>(): PostgresType<Value> => type('smallint');
/** A parsed JSON document; as a parameter, an object. */
export const jsonb = <Value>(): PostgresType<Value> => type('jsonb');
export const json = <Value>(): PostgresType<Value> => type('json');

export const array = <Value>(element: PostgresType<Value>): PostgresType<Value[]> =>
  type(`${element.name}[]`);

/** A nullable column, or a parameter that may be null. */
export const nullable = <Value>(inner: PostgresType<Value>): PostgresType<Value | null> => ({
  name: inner.name,
  nullable: true,
});

/** A column that is nullable in its table but never null in this statement, which leaves such rows out. */
export const filtered = <Value>(inner: PostgresType<Value>): PostgresType<Value> => ({
  ...inner,
  filtered: true,
});
