/** Values of columns that may change, and `setsX` for each: whether it changes, since null is a value, too. */
export type SwitchedValues<Changes> = {
  readonly [Name in keyof Changes]-?: Exclude<Changes[Name], undefined> | null;
} & { readonly [Name in keyof Changes & string as `sets${Capitalize<Name>}`]-?: boolean };

/** Values for a statement that sets only the columns that a change names. */
export function switchedValues<Changes extends Readonly<Record<string, unknown>>>(
  changes: Changes,
): SwitchedValues<Changes> {
  const pairs = Object.entries(changes).flatMap(([name, value]) => [
    [name, value ?? null],
    [`sets${name[0]!.toUpperCase()}${name.slice(1)}`, value !== undefined],
  ]);
  return Object.fromEntries(pairs) as SwitchedValues<Changes>;
}
