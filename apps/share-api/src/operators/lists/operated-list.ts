import { OcsFailure } from '#ocs/http';
import type { OcsValue } from '#ocs/protocol';

/** A list that operators read page by page, with the actions on its entries. */
export interface OperatedList {
  /** Whether it belongs to one account. */
  readonly ofAccount?: true;
  /** Whether it is read page by page; otherwise all rows are on the first page. */
  readonly isPaged?: true;
  read(asked: AskedRows): Promise<readonly object[]>;
  readonly actions?: Readonly<Record<string, (entry: ChosenEntry) => Promise<object | void>>>;
}

export interface AskedRows {
  /** Account of the list, or its filter, in the account's own spelling; empty for all. */
  readonly uid: string;
  /** Partner as a filter, for lists that have one; empty for all. */
  readonly host: string;
  /** Id of the last known row. */
  readonly after: number;
  readonly limit: number;
}

/** An entry for an action; empty if the action is about the whole list. */
export interface ChosenEntry {
  readonly id: string;
  readonly uid: string;
  /** Text that the action needs, such as a key; empty for none. */
  readonly value: string;
}

/** @throws OcsFailure for an invalid number */
export function numberIn({ id }: ChosenEntry): number {
  if (!/^\d{1,15}$/.test(id)) throw new OcsFailure(400, 'id is a number');
  return Number(id);
}

/** @throws OcsFailure if there was no such entry */
export function assertFound(found: boolean): void {
  if (!found) throw new OcsFailure(404, 'There is no such entry');
}

/** A row in the form for clients: times in ISO 8601, lists and objects as JSON text. */
export function recordOf(row: object): OcsValue {
  const fields = Object.entries(row).filter(([, value]) => !Buffer.isBuffer(value));
  return Object.fromEntries(fields.map(([name, value]) => [name, plain(value)]));
}

function plain(value: unknown): OcsValue {
  if (value instanceof Date) return value.toISOString();
  if (value === null || value === undefined) return null;
  return typeof value === 'object' ? JSON.stringify(value) : (value as OcsValue);
}
