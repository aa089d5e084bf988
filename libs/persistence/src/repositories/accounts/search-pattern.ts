/** The ILIKE pattern for a text anywhere in a value; `''`, which matches everything in the lists, for an empty text. */
export function anywhere(search: string): string {
  return search === '' ? '' : `%${search.replace(/[\\%_]/g, '\\$&')}%`;
}
