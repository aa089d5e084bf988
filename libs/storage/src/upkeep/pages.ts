/** Rows that are read at a time. */
export const PAGE = 500;

/** All rows of a list in the order of a key, `PAGE` rows at a time. @param start key before all of them */
export async function* pages<T, Key>(
  read: (after: Key) => Promise<T[]>,
  keyOf: (found: T) => Key,
  start: Key,
): AsyncGenerator<T> {
  for (let after = start; ;) {
    const page = await read(after);
    yield* page;
    if (page.length < PAGE) return;
    after = keyOf(page.at(-1)!);
  }
}
