/** A statement that Postgres prepares once per connection, under its name. */
export interface Statement<Row> {
  readonly name: string;
  readonly text: string;
  /** Whether it is given, as its last value, on whose behalf it runs. */
  readonly isDecision?: true;
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

/**
 * Declares a statement that changes who may have what, or who is dealt with: triggers record its effects, with the actor
 * that it brings. The actor's value comes behind all others without the caller's doing.
 * @param write makes the text with `acting`, a condition that is always true and hands the actor to the triggers; it stands
 *   where whatever is changed depends on it
 */
export function decision<Row = Record<string, unknown>>(
  name: string,
  write: (acting: string) => string,
): Statement<Row> {
  const numbers = [...write('true').matchAll(/\$(\d+)/g)].map((match) => Number(match[1]));
  const place = Math.max(0, ...numbers) + 1;
  // In a query of its own it is evaluated once, however many rows are looked at.
  const text = write(`(SELECT set_config('drawbridge.acting', $${place}, true) IS NOT NULL)`);
  return { ...statement<Row>(name, text), isDecision: true };
}
