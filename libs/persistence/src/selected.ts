/**
 * A plain object with these columns of an entity. The entity itself has a property for every column, undefined for those that were not
 * selected, and would show them to any code that lists its properties.
 */
export function selected<Row extends object, Columns extends { readonly [Name in keyof Row]?: true }>(
  columns: Columns,
  row: Row,
): Readonly<Pick<Row, keyof Columns & keyof Row>> {
  const names = Object.keys(columns) as (keyof Columns & keyof Row)[];
  return Object.fromEntries(names.map((name) => [name, row[name]])) as Pick<Row, keyof Columns & keyof Row>;
}
