/**
 * Type of a parameter or a column of a statement: its name in Postgres, and the type of its value in TypeScript.
 * Made by the constants and functions of this file only.
 */
export interface PostgresType<Value> {
  /** Such as `bigint` or `text[]`, as Postgres itself names it. */
  readonly name: string;
  readonly nullable: boolean;
  /** Whether the statement leaves out the rows in which a nullable column is null. */
  readonly filtered?: true;
  /** Only carries the type. */
  readonly value?: Value;
}

/** Parameters or columns of a statement by their names. */
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

/** Result of a function that returns none. */
export const voidResult = type<''>('void');
export const uuid = type<string>('uuid');

/** A text of which only some values occur. */
export const textOf = <Value extends string>(): PostgresType<Value> => type('text');
/** A day of a type of its own. */
export const dateOf = <Value extends string>(): PostgresType<Value> => type('date');
/** A small number of which only some values occur. */
export const int2Of = <Value extends number>(): PostgresType<Value> => type('smallint');
/** A parsed JSON document; as a parameter, an object. */
export const jsonb = <Value>(): PostgresType<Value> => type('jsonb');
export const json = <Value>(): PostgresType<Value> => type('json');

export const array = <Value>(element: PostgresType<Value>): PostgresType<Value[]> =>
  type(`${element.name}[]`);

/** A column that can be null, or a parameter that null can be given for. */
export const nullable = <Value>(inner: PostgresType<Value>): PostgresType<Value | null> => ({
  name: inner.name,
  nullable: true,
});

/** A column that is nullable in its table, but never null in this statement: it leaves out those rows. */
export const filtered = <Value>(inner: PostgresType<Value>): PostgresType<Value> => ({
  ...inner,
  filtered: true,
});
