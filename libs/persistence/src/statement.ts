import type { Columns, RowOf, ValuesOf } from './postgres-types';

/** A statement that Postgres prepares once per connection, under its name. */
export interface Statement<Params extends Columns, Row extends Columns> {
  readonly name: string;
  /** Its SQL with the positional parameters of Postgres. */
  readonly text: string;
  readonly params: Params;
  /** Names of the parameters, in the order of their positions. */
  readonly order: readonly string[];
  readonly row: Row;
  readonly isShortRead?: true;
  readonly goesWithBegin?: true;
}

export type AnyStatement = Statement<Columns, Columns>;

/** Arguments after a statement: none if it has no parameters. */
export type ArgumentsOf<S extends AnyStatement> =
  S extends Statement<infer Params, Columns>
    ? keyof Params extends never
      ? []
      : [values: ValuesOf<Params>]
    : never;

/** Rows of a statement. */
export type RowIn<S extends AnyStatement> = S extends Statement<Columns, infer Row> ? RowOf<Row> : never;

export interface Declaration<Params extends Columns, Row extends Columns> {
  /** A unique name such as `share.find`. */
  readonly name: string;
  readonly params?: Params;
  /** Columns of its rows; absent if nobody reads them. */
  readonly row?: Row;
  /** SQL in which `:name` is replaced by the parameter with this name. */
  readonly sql: string;
  /**
   * Hides its values from the planner, so that a connection plans it for its first uses only. Otherwise Postgres plans it for each
   * use if it expects less work for the values of that use, such as fewer elements of an array, even if planning takes longer
   * than the work. Only for statements whose plan does not depend on values: a search by the beginning of a text needs them.
   */
  readonly plannedOnce?: true;
  /**
   * Marks a read of a few rows by an index. Outside of a transaction it shares a connection with other short reads (ADR 0261), which wait
   * for it. So it must not write, lock rows, or be slow.
   */
  readonly isShortRead?: true;
  /**
   * Marks a statement that only locks rows, or sets a variable until the end of the transaction. As one of the first statements it is sent
   * together with BEGIN (ADR 0263): if BEGIN fails, it runs alone and must have no effect.
   */
  readonly goesWithBegin?: true;
}

/**
 * A condition that is always true and tells triggers the actor, from the parameter `acting`. Statements that change
 * permissions or trust include it wherever every change depends on it. As a separate query it is evaluated once,
 * however many rows are checked.
 */
export const ACTING = `(SELECT set_config('drawbridge.acting', :acting, true) IS NOT NULL)`;

// Literals, quoted identifiers, comments and casts may contain colons.
const TOKENS = /'(?:[^']|'')*'|"[^"]*"|--[^\n]*|::|:([a-z][A-Za-z0-9]*)/g;

const declared = new Map<string, AnyStatement>();

/** All statements that the loaded modules declare. */
export const declaredStatements = (): readonly AnyStatement[] => [...declared.values()];

/**
 * Declares a statement with the types of its parameters and columns, from which the types of its values and rows follow.
 * A spec compares them with those of Postgres. Declare it once, at module level.
 * @throws Error if the name is taken, since Postgres would answer the second text with the first one's plan, and if
 * the SQL and the list of parameters differ
 */
export function statement<
  Params extends Columns = Record<never, never>,
  Row extends Columns = Record<never, never>,
>(declaration: Declaration<Params, Row>): Statement<Params, Row>;
export function statement({
  name,
  params = {},
  row = {},
  isShortRead,
  goesWithBegin,
  ...rest
}: Declaration<Columns, Columns>): AnyStatement {
  if (declared.has(name)) throw new Error(`statement ${name} is declared twice`);
  const made = { name, params, row, isShortRead, goesWithBegin, ...positional({ name, params, ...rest }) };
  declared.set(name, made);
  return made;
}

/** Prepared once per connection if it has a name. */
export interface DriverQuery {
  readonly name?: string;
  readonly text: string;
  readonly values: unknown[];
}

/** The query that the driver runs for a statement and its values. */
export function queryOf(
  { name, text, order }: AnyStatement,
  given: Readonly<Record<string, unknown>> = {},
): DriverQuery {
  return { name, text, values: order.map((parameter) => given[parameter]) };
}

/** The same, without a name: Postgres plans it again each time. */
export function unnamedQueryOf(
  { text, order }: AnyStatement,
  given: Readonly<Record<string, unknown>> = {},
): DriverQuery {
  return { text, values: order.map((parameter) => given[parameter]) };
}

/** Parameters are numbered in the order of their declaration. */
function positional({
  name,
  sql,
  params,
  plannedOnce,
}: Required<Pick<Declaration<Columns, Columns>, 'name' | 'sql' | 'params'>> &
  Pick<Declaration<Columns, Columns>, 'plannedOnce'>): { text: string; order: readonly string[] } {
  if (/\$\d/.test(sql)) throw new Error(`statement ${name} numbers a parameter instead of naming it`);
  const order = Object.keys(params);
  const used = new Set<string>();
  const text = sql.replace(TOKENS, (token, parameter?: string) => {
    if (parameter === undefined) return token;
    const type = params[parameter];
    if (!type) throw new Error(`statement ${name} does not declare :${parameter}`);
    used.add(parameter);
    const position = `$${order.indexOf(parameter) + 1}`;
    return plannedOnce ? hidden(position, type.name) : position;
  });
  const unused = order.find((parameter) => !used.has(parameter));
  if (unused !== undefined) throw new Error(`statement ${name} does not use :${unused}`);
  return { text, order };
}

/** A value in a query of its own: the planner does not look into it. The second type makes one array of it, not a list of rows. */
const hidden = (position: string, type: string): string => `(SELECT ${position}::${type})::${type}`;
