/** A statement that Postgres prepares once per connection, under its name. */
export interface Statement<Row> {
  readonly name: string;
  readonly text: string;
  /** Only carries the row type. */
  readonly row?: Row;
}

const taken = new Set<string>();

/**
 * Declares a named statement. Declare it once, at module level.
 * @throws Error when the name is taken: Postgres would answer the second text with the first one's plan
 */
export function statement<Row = Record<string, unknown>>(name: string, text: string): Statement<Row> {
  if (taken.has(name)) throw new Error(`statement ${name} is declared twice`);
  taken.add(name);
  return { name, text };
}
