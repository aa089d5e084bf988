/** The pattern of ILIKE for text that stands anywhere; `''`, which the lists take for everything, for none. */
export function anywhere(search: string): string {
  return search === '' ? '' : `%${search.replace(/[\\%_]/g, '\\$&')}%`;
}
