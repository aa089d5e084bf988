import pg from 'pg';
import type { AnyStatement, DriverQuery } from './statement';

/** Makes a row from the texts of its columns, which are null where a value is NULL. */
type RowReader = (values: readonly (string | null)[]) => object;

/** Parts of the driver's query that its types leave out (pg 8.23). */
interface DriverInternals {
  name?: string;
  readonly _result: { parseRow: RowReader };
  _accumulateRows: boolean;
  handleRowDescription(message: { readonly fields: readonly pg.FieldDef[] }): void;
  prepare(connection: pg.Connection): void;
}

const Query = pg.Query as unknown as new (text: string, values: unknown[]) => pg.Query & DriverInternals;

/** Readers of the statements that this process has run. A statement has the same columns in each of its uses. */
const readers = new WeakMap<AnyStatement, RowReader>();

/**
 * A statement whose columns Postgres describes at its first use in this process only. The driver asks for them with each use, and
 * works out how to read them again (ADR 0246).
 */
class DescribedQuery extends Query {
  private isDescribed = false;

  constructor(
    private readonly statement: AnyStatement,
    { name, text, values }: DriverQuery,
  ) {
    // The driver copies an object property by property, which takes longer than the rest of this constructor.
    super(text, values);
    if (name !== undefined) this.name = name;
    const reader = readers.get(statement);
    if (reader) this.readBy(reader);
  }

  override handleRowDescription({ fields }: { readonly fields: readonly pg.FieldDef[] }): void {
    const reader = readerOf(fields);
    readers.set(this.statement, reader);
    this.readBy(reader);
  }

  /** Sends it: its text at the first use of a connection, its values, and the request to run it. */
  override prepare(connection: pg.Connection): void {
    super.prepare(this.isDescribed ? withoutDescription(connection) : connection);
  }

  private readBy(reader: RowReader): void {
    this.isDescribed = true;
    this._result.parseRow = reader;
    this._accumulateRows = true;
  }
}

type Parse = (text: string) => unknown;

const parserOf = (type: number): Parse => pg.types.getTypeParser(type, 'text') as Parse;
const TEXT = parserOf(pg.types.builtins.TEXT);

function readerOf(fields: readonly pg.FieldDef[]): RowReader {
  const names = fields.map(({ name }) => name);
  const parsers = fields.map(({ dataTypeID }) => parserOf(dataTypeID));
  const empty = Object.fromEntries(names.map((name) => [name, null]));
  return (values) => {
    // A copy has a fixed shape, and its fields are set faster than new ones are added. Spread syntax that copies many shapes, as here
    // those of all statements, adds field by field, which takes twice as long and five times as much memory.
    const row: Record<string, unknown> = Object.assign({}, empty);
    for (let place = 0; place < values.length; place++) {
      const value = values[place]!;
      if (value === null) continue;
      const parse = parsers[place]!;
      row[names[place]!] = parse === TEXT ? value : parse(value);
    }
    return row;
  };
}

const undescribing = new WeakMap<pg.Connection, pg.Connection>();

/** The same connection, which does not ask for a description. */
function withoutDescription(connection: pg.Connection): pg.Connection {
  const known = undescribing.get(connection);
  if (known) return known;
  const made = Object.create(connection, { describe: { value: () => undefined } }) as pg.Connection;
  undescribing.set(connection, made);
  return made;
}

/** A connection, or the pool that selects one. */
interface Runner {
  query(query: DescribedQuery, done: (failure: Error | null | undefined, result: Result) => void): unknown;
}

interface Result {
  readonly rows: unknown[];
}

/** Runs the query of a statement and returns its rows. */
export async function rowsFrom(
  runner: pg.Pool | pg.ClientBase,
  statement: AnyStatement,
  query: DriverQuery,
): Promise<unknown[]> {
  try {
    const { rows } = await new Promise<Result>((resolve, reject) => {
      (runner as Runner).query(new DescribedQuery(statement, query), (failure, result) =>
        failure ? reject(failure) : resolve(result),
      );
    });
    return rows;
  } catch (error) {
    // The driver's trace leads to a socket, this one to the caller.
    Error.captureStackTrace(error as Error);
    throw error;
  }
}
